import Foundation
import Synchronization
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryMigration
import TributaryStore

@testable import TributarySync

/// Compaction by stores that are copies, that were other writers before, or that become another one meanwhile.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct CompactionIdentityTests {
    private func writer(_ replica: SyncReplica) -> UniqueID { replica.service.ownWriter }

    // MARK: Copies

    /// A copy does not vote for its original; it makes a baseline of its own from the segments, which the original may
    /// verify.
    @Test func aCopyBuildsFromTheLogFolder() async throws {
        let group = try await CompactingReplicas.filled(1)
        let original = group.replicas[0]
        try await original.stop()
        let folder = try TemporaryFolder("copy")
        try FileManager.default.copyItem(
            atPath: original.folder.path("store.sqlite"),
            toPath: folder.path("store.sqlite")
        )
        group.replicas = []
        try await group.add(in: original.folder)
        let copy = try await group.add(in: folder)
        #expect(writer(copy) != original.own && writer(group.replicas[0]) == original.own)
        try await group.exchange()
        try await group.acknowledge()
        try await group.acknowledge()
        let before = group.files(".tlog")
        guard case .cut(let name, _) = try await group.compact(group.replicas[0]).cut else {
            Issue.record("not cut")
            return
        }
        guard case .waits(name, let reason) = try await group.compact(copy, .automatic).verification else {
            Issue.record("the copy verifies its original")
            return
        }
        #expect(reason.contains("copy"))
        #expect(group.replicas[0].service.state.read(\.shelf).verified.isEmpty)
        // The remedy that it names.
        try await group.acknowledge()
        guard case .cut = try await group.compact(copy).cut else {
            Issue.record("\(try await group.compact(copy, .dryRun).cut)")
            return
        }
        try await group.exchange()
        for replica in group.replicas { try await group.compact(replica) }
        try await group.acknowledge()
        for replica in group.replicas { try await group.compact(replica) }
        #expect(group.files(".tlog").isDisjoint(with: before), "\(group.files(".tlog").intersection(before))")
        #expect(try group.digests().count == 1)
        try await group.stop()
    }

    /// A fault of the original's state, which its copy has too, is in no baseline of the copy: the original, which
    /// compares that with its own state, does not verify it.
    @Test func whatACopySharesWithItsOriginalIsNotVerified() async throws {
        let group = try await CompactingReplicas.filled(1)
        let original = group.replicas[0]
        try await original.stop()
        let path = original.folder.path("store.sqlite")
        try PlainSQL(path: path).execute("UPDATE Employee SET name = 'Eve'")
        let folder = try TemporaryFolder("copy")
        try FileManager.default.copyItem(atPath: path, toPath: folder.path("store.sqlite"))
        group.replicas = []
        try await group.add(in: original.folder)
        let copy = try await group.add(in: folder)
        #expect(writer(copy) != original.own && writer(group.replicas[0]) == original.own)
        try await group.exchange()
        for _ in 0..<2 { try await group.acknowledge() }
        let before = group.files(".tlog")
        guard case .cut(let name, _) = try await group.compact(copy).cut else { Issue.record("not cut"); return }
        #expect(name.writer == writer(copy))
        let text = try String(contentsOfFile: "\(group.logs.path)/\(name.path)", encoding: .utf8)
        #expect(text.contains("Ann") && !text.contains("Eve"))
        try await group.exchange()
        let report = try await group.compact(group.replicas[0], .automatic)
        #expect(report.verification == .differs(name), "\(report.verification)")
        #expect(group.replicas[0].service.state.read(\.shelf).verified.isEmpty)
        #expect(before.isSubset(of: group.files(".tlog")))
        try await group.stop()
    }

    /// The segments that a store wrote under a former writer go by the rule of its own segments.
    ///
    /// A store that became another writer under an earlier program has no list of the former ones.
    @Test(arguments: [true, false]) func theSuccessorRemovesWhatItHasWrittenBefore(isListed: Bool) async throws {
        let group = try await CompactingReplicas.filled(3)
        let (first, former) = (group.replicas[0], writer(group.replicas[0]))
        try await first.service.restamp()
        if !isListed { try first.store.write { try $0.setSetting(IdentityKeys.formers, to: nil) } }
        try first.save([SyncModel.update(1, "salary", .double(7))])
        try await group.exchange()
        try await group.acknowledge()
        let before = group.files(".tlog").filter { $0.hasPrefix("\(former)") }
        #expect(!before.isEmpty)
        // The former writer never acknowledges again, so it is waited for until it is evicted.
        try await group.compactAll()
        try await group.acknowledge()
        let waiting = try await group.compact(group.replicas[1], .dryRun)
        #expect(waiting.remaining.contains { $0.waits.contains { $0.contains("evict \(former)") } })
        // Not covered, or not acknowledged by one: nothing of it goes.
        let evicted = { (replica: SyncReplica) in
            try replica.store.write { try $0.writerChanges.setState(.evicted, of: former) }
        }
        for replica in group.replicas { try evicted(replica) }
        try await group.acknowledge()
        for _ in 0..<2 {
            try await group.compactAll()
            try await group.acknowledge()
        }
        #expect(group.files(".tlog").isDisjoint(with: before))
        #expect(!group.files(".baseline").contains { $0.hasPrefix("\(former)") })
        let fourth = try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
        #expect(try fourth.employees(1...9) == [1, 2, 3])
        try await group.stop()
    }

    @Test func aFormerWritersSegmentsFollowTheRule() async throws {
        let group = try await CompactingReplicas.filled(2)
        let (first, former) = (group.replicas[0], writer(group.replicas[0]))
        try await first.service.restamp()
        try await group.exchange()
        let before = group.files(".tlog").filter { $0.hasPrefix("\(former)") }
        let report = try await group.compact(first, .dryRun)
        let remaining = report.remaining.filter { $0.name.writer == former }
        #expect(remaining.count == before.count)
        #expect(remaining.allSatisfy { $0.waits.contains { $0.contains("no verified baseline") } }, "\(remaining)")
        #expect(!remaining.contains { $0.waits.contains { $0.contains("evict \(former)") } })
        try await group.compact(first)
        #expect(before.isSubset(of: group.files(".tlog")))
        try await group.stop()
    }

    /// A store that builds its baselines from the log folder waits for a damaged segment, and its pass goes on.
    @Test func aDamagedSegmentIsAReasonToWait() async throws {
        let group = try await CompactingReplicas.filled(2)
        let first = group.replicas[0]
        try await first.service.restamp()
        try first.save([SyncModel.update(1, "salary", .double(7))])
        try await group.exchange()
        try await group.acknowledge()
        let name = try #require(group.logs.segments(of: writer(group.replicas[1])).first)
        let bytes = try #require(group.logs.bytes(of: name))
        try group.logs.put(bytes + Array("{}\n".utf8), at: name.path)
        guard case .waits(let reason) = try await group.compact(first).cut else {
            Issue.record("a baseline is cut from a damaged segment")
            return
        }
        #expect(reason.contains(name.fileName), "\(reason)")
        try group.logs.put(bytes, at: name.path)
        guard case .cut = try await group.compact(first).cut else {
            Issue.record("no baseline is cut when the segment is whole again")
            return
        }
        try await group.stop()
    }

    // MARK: Conflict copies

    private func copyName(of replica: SyncReplica, in group: CompactingReplicas) throws -> (SegmentName, String) {
        let name = try #require(group.logs.segments(of: writer(replica)).first)
        return (name, name.path.replacing(".tlog", with: ".sync-conflict-20261123-080000-ABCDEFG.tlog"))
    }

    @Test func aCopyOfEqualBytesHindersNothing() async throws {
        let group = try await CompactingReplicas.filled(2)
        let (name, path) = try copyName(of: group.replicas[0], in: group)
        try group.logs.put(try #require(group.logs.bytes(of: name)), at: path)
        guard case .cut = try await group.compact(group.replicas[0]).cut else {
            Issue.record("the copy hinders compaction")
            return
        }
        try await group.stop()
    }

    /// A fork costs the forked writer alone: its segments past the fork stay, those of all others go.
    @Test func afterAForkOnlyTheForkedWritersSegmentsStay() async throws {
        let group = try await CompactingReplicas.filled(3)
        let first = group.replicas[0]
        let former = writer(first)
        let (name, path) = try copyName(of: first, in: group)
        let other = LogsFolder.text(former, name.first...name.last, base: 900)
        try group.logs.put(other.bytes(), at: path)
        try await group.exchange()
        #expect(writer(first) != former)
        try first.save([SyncModel.insert(20)])
        try await group.exchange()
        try await group.acknowledge()
        #expect(try group.digests().count == 1)
        let before = group.files(".tlog")
        let forked = before.filter { $0.hasPrefix("\(former)") }
        for replica in group.replicas { try await replica.service.evict(former) }
        for _ in 0..<2 {
            try await group.compactAll()
            try await group.acknowledge()
        }
        try await group.compactAll()
        let after = group.files(".tlog")
        #expect(forked.isSubset(of: after))
        #expect(before.subtracting(forked).isDisjoint(with: after), "\(before.intersection(after))")
        let waits = try await group.compact(first, .dryRun).remaining.filter { $0.name.writer == former }
        #expect(waits.allSatisfy { $0.waits.contains { $0.contains("fork at transaction 1") } }, "\(waits)")
        #expect(waits.count == forked.count { !$0.contains("conflict") })

        let fourth = try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
        #expect(try fourth.employees(1...999) == first.employees(1...999))
        #expect(fourth.service.status.problems.contains { $0.code == .writerForked && $0.writer == former })
        // A check begins with a baseline, to which a later branch is added.
        let late = LogsFolder.text(former, name.first...name.last, base: 950)
        try group.logs.put(late.bytes(), at: path.replacing("sync-conflict-2026", with: "sync-conflict-2027"))
        try await group.exchange()
        let digests = try group.digests()
        for replica in group.replicas {
            let report = try await replica.check(group.logs.path)
            #expect(report.problems.isEmpty, "\(report.problems)")
            #expect(digests.map { .equal(digest: $0) } == [report.comparison])
        }
        try await group.stop()
    }

    // MARK: Changes of the writer

    private func compact(
        _ replica: SyncReplica,
        _ group: CompactingReplicas,
        at phase: String,
        _ change: @escaping @Sendable (SyncReplica) throws -> Void
    ) async throws -> CompactionReport {
        try await replica.service.importAll()
        let isDone = Mutex(false)
        let compactor = Compactor(sync: replica.service) { try Store.open($0, migrator: Migrator()) }
        return try await compactor.compact(.requested) { current, done, _ in
            guard current == phase, done > 0 || phase == "removal" else { return }
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { try? change(replica) }
        }
    }

    /// The store becomes another writer while a baseline is written under the name of the present one.
    @Test func noBaselineGetsTheNameOfAFormerWriter() async throws {
        let group = try await CompactingReplicas.filled(2)
        let first = group.replicas[0]
        let former = writer(first)
        let changes = (0..<5_000).map { SyncModel.insert(10_000 + UInt64($0)) }
        try first.save(changes)
        try await group.exchange()
        try await group.acknowledge()
        let report = try await compact(first, group, at: "baseline") { replica in
            _ = try replica.service.writerChange.change()
        }
        guard case .waits(let reason) = report.cut else { Issue.record("\(report.cut)"); return }
        #expect(reason.contains("\(former)") && writer(first) != former, "\(reason)")
        #expect(group.files(".baseline").isEmpty)
        try await group.exchange()
        try await group.acknowledge()
        guard case .cut(let name, _) = try await group.compact(first).cut else { Issue.record("not cut"); return }
        #expect(name.writer == writer(first))
        try await group.stop()
    }

    /// The proof that another program writes as this store comes after it was decided what goes.
    @Test func nothingGoesOnceTheWriterIsInDoubt() async throws {
        let group = try await CompactingReplicas.filled(2)
        try await group.compactAll()
        try await group.acknowledge()
        let first = group.replicas[0]
        try await first.service.importAll()
        let before = group.files(".tlog")
        let own = writer(first)
        let would = try await group.compact(first, .dryRun)
        #expect(would.removedSegments > 0)
        let report = try await compact(first, group, at: "removal") { replica in
            let error = SegmentError(.forked, file: "\(own)/x.tlog", writer: own, reason: "test")
            replica.service.state.update { $0.exportFailed(error, wall: .epoch) }
        }
        #expect(report.removedSegments == 0, "\(report)")
        #expect(before.isSubset(of: group.files(".tlog")))
        #expect(report.remaining.contains { $0.waits.contains { $0.contains("not the writer") } })
        try await group.stop()
    }
}
