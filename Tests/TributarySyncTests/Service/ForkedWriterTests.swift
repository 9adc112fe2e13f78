import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Two programs write as one writer: all branches of its log are applied, on every replica and on new ones.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct ForkedWriterTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)

    init() throws { logs = try LogsFolder() }

    private func digest(_ replica: SyncReplica) throws -> StoreDigest {
        try replica.store.read { try $0.mergeState.digest() }
    }

    private func copy(of name: SegmentName, _ label: String) -> String {
        "\(name.writer)/\(name.fileName.dropLast(5)).sync-conflict-20261123-080000-\(label).tlog"
    }

    @Test func otherContentUnderAnAppliedNameIsAppliedToo() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let first = try logs.hire(a, 1...2)
        _ = try await replica.service.sync()
        let second = try logs.hire(a, 1...2, base: 50)
        try logs.hire(b, 1...1, base: 100)
        _ = try await replica.service.sync()
        _ = try await replica.service.sync()
        #expect(try replica.employees(1...200) == [1, 2, 51, 52, 101])
        let status = try #require(try await replica.service.segment(first.name))
        #expect(status.state == .applied && status.reason.contains("Two programs"), "\(status.reason)")
        let alarm = try #require(replica.service.status.problems.first)
        #expect(alarm.code == .writerForked && alarm.writer == a)
        #expect(alarm.detail.contains(first.sha256) && alarm.detail.contains(second.sha256), "\(alarm.detail)")
        #expect(alarm.detail.contains("transaction 1 "), "\(alarm.detail)")
        #expect(alarm.hint.contains("tributaryctl writer evict \(a)"), "\(alarm.hint)")
        #expect(replica.service.status.problems.count == 1)
        // Later segments of the writer are applied nevertheless.
        try logs.hire(a, 3...3)
        _ = try await replica.service.sync()
        #expect(try replica.position(a) == 3)
        try await replica.service.evict(a)
        #expect(replica.service.status.problems.isEmpty)
        try await replica.stop()
    }

    @Test func segmentsWithOtherBoundsAreAppliedToo() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.hire(a, 1...3)
        _ = try await replica.service.sync()
        let inside = try logs.hire(a, 2...3, base: 50)
        let across = try logs.hire(a, 3...4, base: 60)
        _ = try await replica.service.sync()
        _ = try await replica.service.sync()
        #expect(try await replica.state(inside.name) == .applied)
        #expect(try await replica.state(across.name) == .applied)
        #expect(try replica.employees(1...99) == [1, 2, 3, 52, 53, 63, 64])
        #expect(try replica.position(a) == 3)
        try await replica.stop()
    }

    /// Values that the model cannot hold are listed for branches too: under the name of another segment, and an own one.
    @Test func deferredValuesOfBranchesAreListed() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let first = try logs.hire(a, 1...2)
        _ = try await replica.service.sync()
        func clone(_ range: ClosedRange<UInt64>) throws -> SegmentText {
            let transactions = range.map { sequence in
                let clock = HybridClock(SyncWall.start.later(by: .milliseconds(sequence)))
                let header = TransactionHeader(sequence: sequence, clock: clock, changeCount: 2)
                let shoe = SyncModel.update(50 + sequence, "shoe", .integer(Int64(sequence)))
                return LogTransaction(header: header, changes: [SyncModel.insert(50 + sequence), shoe])
            }
            let segment = SegmentText(writer: a, transactions)
            try logs.put(segment)
            return segment
        }
        let second = try clone(1...2)
        let third = try clone(2...3)
        for _ in 0..<3 { _ = try await replica.service.sync() }
        let listed = try await replica.service.located(try await replica.service.segments(all: true))
            .filter { $0.id.writer == a }
        let names = [first.name, second.name, third.name]
        #expect(listed.map(\.id) == names && listed.map(\.state) == [.applied, .applied, .applied], "\(listed)")
        #expect(listed.map(\.deferred) == [0, 2, 2], "\(listed)")
        #expect(listed[0].variant.isEmpty && listed[1].variant == second.sha256 && listed[2].variant == third.sha256)
        for status in listed.dropFirst() {
            #expect(status.reason.contains("branch") && status.reason.contains("Employee.shoe = "), "\(status)")
        }
        let some = try await replica.service.segments()
        #expect(some.map(\.id) == Array(names.dropFirst()))
        // One segment: all that is under its name.
        let both = try #require(try await replica.service.segment(first.name))
        #expect(both.deferred == 2 && both.reason.contains("Two programs") && both.reason.contains("shoe"), "\(both)")
        let values = both.deferredValues.map { $0.segment }
        #expect(values == [first.name, first.name])
        try await replica.stop()
    }

    /// The clones' files come to three replicas in other orders, under one name or as conflict copies, with restarts in
    /// between; a new replica finds what is left in the folder.
    @Test func replicasConvergeWhateverCameFirst() async throws {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        let stem = LogsFolder.text(a, 1...2)
        let left = LogsFolder.text(a, 3...4, base: 100, previous: stem.sha256)
        let leftNext = LogsFolder.text(a, 5...5, base: 100, previous: left.sha256)
        let right = LogsFolder.text(a, 3...4, base: 200, previous: stem.sha256)
        let rightNext = LogsFolder.text(a, 5...6, base: 200, previous: right.sha256)
        let reader = LogsFolder.text(b, 1...1, base: 300, seen: [1: [a: 6]])
        for round in 0..<6 {
            var digests: [StoreDigest] = []
            for number in 0..<3 {
                let logs = try LogsFolder()
                var replica = try await SyncReplica(logs.path, wall: wall)
                var names: Set<SegmentName> = []
                let files = [stem, left, leftNext, right, rightNext, reader].shuffled(using: &generator)
                for (index, file) in files.enumerated() {
                    if names.insert(file.name).inserted, generator.next() % 3 > 0 {
                        try logs.put(file)
                    } else {
                        try logs.put(file.bytes(), at: copy(of: file.name, "\(index)"))
                    }
                    if generator.next() % 2 == 0 { _ = try await replica.service.sync() }
                    if generator.next() % 4 == 0 {
                        try await replica.stop()
                        replica = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
                    }
                }
                _ = try await replica.service.sync()
                _ = try await replica.service.sync()
                let comment: Comment = "seed \(generator.seed), round \(round), replica \(number)"
                let statuses = try await replica.service.segments()
                #expect(
                    try replica.employees(1...999) == [1, 2, 103, 104, 105, 203, 204, 205, 206, 301],
                    "\(comment) \(statuses)"
                )
                digests.append(try digest(replica))
                let new = try await SyncReplica(logs.path, wall: wall, name: "new")
                _ = try await new.service.sync()
                _ = try await new.service.sync()
                digests.append(try digest(new))
                let report = try await replica.check(logs.path)
                #expect(report.problems.isEmpty, "\(comment) \(report.problems)")
                #expect(report.comparison == .equal(digest: digests[0].digest), "\(comment) \(report.comparison)")
                try await new.stop()
                try await replica.stop()
            }
            #expect(Set(digests.map(\.digest)).count == 1, "seed \(generator.seed), round \(round)")
            #expect(Set(digests.map { $0.vector[a] }).count == 1, "seed \(generator.seed), round \(round)")
        }
    }

    /// A batch of a branch that is rolled back leaves nothing; the next one applies each transaction once.
    @Test func aBranchIsAppliedOnceAcrossAbortsAndRestarts() async throws {
        let changes = (1...4).map { amount in
            let increment = JSONMember(key: "increment", value: .integer(Int64(amount)))
            return SyncModel.update(1, "visits", .object([increment]))
        }
        func segment(_ change: Change) -> SegmentText {
            SegmentText(
                writer: a,
                [
                    LogTransaction(
                        header: TransactionHeader(sequence: 1, clock: HybridClock(SyncWall.start), changeCount: 1),
                        changes: [change]
                    )
                ]
            )
        }
        let folder = try TemporaryFolder("replica")
        for round in 0..<4 {
            // Before the start: a file that is replaced while it is read is read again a while later.
            try logs.put(segment(changes[round]))
            let replica = try await SyncReplica(logs.path, wall: wall, folder: folder)
            if round % 2 == 0 {
                _ = try await replica.service.sync()
                _ = try await replica.service.sync()
            } else {
                replica.service.abort()
            }
            try await replica.stop()
        }
        for round in [1, 3, 0, 2] {
            try logs.put(segment(changes[round]))
            let replica = try await SyncReplica(logs.path, wall: wall, folder: folder)
            _ = try await replica.service.sync()
            _ = try await replica.service.sync()
            try await replica.stop()
        }
        let replica = try await SyncReplica(logs.path, wall: wall, folder: folder)
        let dump = try replica.store.read { try $0.mergeState.dump() }
        #expect(dump.contains("counts 10 by \(a)"), "\(dump)")
        try await replica.stop()
    }

    /// A whole machine is copied, and both run: each finds out, mints a writer, and applies what the other has written.
    @Test func bothClonesGoOnAndConverge() async throws {
        let first = try await SyncReplica(logs.path, wall: wall)
        let own = first.own
        try first.save([SyncModel.insert(1)])
        try await first.service.exportNow()
        try await first.stop()
        let copied = try SyncReplica.clone(of: first.folder, model: SyncModel.make())
        let otherLogs = try LogsFolder()
        let shared = SegmentName(writer: own, first: 1, last: 1)
        try otherLogs.put(try #require(logs.bytes(of: shared)), at: shared)
        let original = try await SyncReplica(logs.path, wall: wall, folder: first.folder)
        let clone = try await SyncReplica(otherLogs.path, wall: wall, folder: copied)
        try original.save([SyncModel.insert(2)])
        try clone.save([SyncModel.insert(3)])
        try await original.service.exportNow()
        try await clone.service.exportNow()
        // The replicator brings each its conflict copies of the other's segment, and what they write as new writers.
        let taken = SegmentName(writer: own, first: 2, last: 2)
        let (left, right) = (try #require(logs.bytes(of: taken)), try #require(otherLogs.bytes(of: taken)))
        #expect(left != right)
        try logs.put(right, at: copy(of: taken, "B"))
        try otherLogs.put(left, at: copy(of: taken, "A"))
        for replica in [original, clone] {
            _ = try await replica.service.sync()
            _ = try await replica.service.sync()
            #expect(replica.service.ownWriter != own)
            #expect(try replica.employees(1...9) == [1, 2, 3])
            try await replica.service.exportNow()
        }
        #expect(original.service.ownWriter != clone.service.ownWriter)
        for (replica, from, to) in [(original, logs, otherLogs), (clone, otherLogs, logs)] {
            for name in from.segments(of: replica.service.ownWriter) {
                try to.put(try #require(from.bytes(of: name)), at: name)
            }
        }
        for _ in 0..<2 { for replica in [original, clone] { _ = try await replica.service.sync() } }
        #expect(try digest(original).digest == digest(clone).digest)
        #expect(try digest(original).vector[own] == digest(clone).vector[own])
        try await original.stop()
        try await clone.stop()
    }
}
