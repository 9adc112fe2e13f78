import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryMigration
import TributaryStore

@testable import TributarySync

/// Baselines of logs with branches: equal on all stores, joined by new and running ones, and what comes late.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct ForkedBaselineTests {
    private let wall = SyncWall()
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)

    private func baseline(_ replica: SyncReplica) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let counts = try replica.store.read { try $0.baseline.forEachLine { bytes += $0 } }
        let end = SegmentEnd(
            last: UInt64(counts.writers),
            transactions: UInt64(counts.transactions),
            changes: UInt64(counts.changes),
            sha256: SegmentEnd.sha256(of: bytes)
        )
        return bytes + Array(end.line.utf8) + [0x0A]
    }

    @discardableResult
    private func join(_ bytes: [UInt8], _ replica: SyncReplica) throws -> Bool {
        let source = MemorySegment(bytes)
        let verified = try VerifiedBaseline.verify(source)
        let reader = BaselineReader(source, verified)
        return try replica.store.write { transaction in
            let before = try PositionsBeforeJoin(transaction)
            let joined = try transaction.joinBaseline(
                verified.header,
                writers: verified.writers,
                transactionCount: verified.end.counts.transactions
            ) { try reader.next() }
            if joined != nil { try before.recordJoined(verified.writers, in: transaction) }
            return joined != nil
        }
    }

    private func digest(_ replica: SyncReplica) throws -> StoreDigest {
        try replica.store.read { try $0.mergeState.digest() }
    }

    private func text(_ first: UInt64, _ last: UInt64, _ base: UInt64, _ previous: String?, seen: UInt64? = nil)
        -> SegmentText
    {
        let count = SyncModel.update(1, "visits", .object([JSONMember(key: "increment", value: .integer(Int64(base)))]))
        let transactions = (first...last).map { sequence in
            LogTransaction(
                header: TransactionHeader(
                    sequence: sequence,
                    // Two branches have equal clocks, so that their versions are equal.
                    clock: HybridClock(SyncWall.start.later(by: .milliseconds(sequence))),
                    seen: sequence == first ? seen.map { [b: $0] } ?? [:] : [:],
                    changeCount: 2
                ),
                changes: [SyncModel.insert(base + sequence, name: "by \(base)"), count]
            )
        }
        return SegmentText(writer: a, transactions, previous: previous)
    }

    private struct Files {
        var stem: SegmentText
        var branches: [SegmentText]
        var other: SegmentText
        var all: [SegmentText] { [stem, other] + branches }
    }

    private func files() -> Files {
        let stem = text(1, 2, 0, nil)
        let left = text(3, 4, 100, stem.sha256, seen: 1)
        let leftNext = text(5, 5, 110, left.sha256)
        let right = text(3, 4, 200, stem.sha256)
        let rightNext = text(5, 7, 210, right.sha256)
        let nested = text(5, 6, 300, right.sha256)
        let other = LogsFolder.text(b, 1...2, base: 400, seen: [2: [a: 2]])
        return Files(stem: stem, branches: [left, leftNext, right, rightNext, nested], other: other)
    }

    private func put(_ file: SegmentText, _ names: inout Set<SegmentName>, _ logs: LogsFolder) throws {
        guard !names.insert(file.name).inserted else { return try logs.put(file) }
        let label = file.sha256.prefix(7)
        let copy = "\(file.name.fileName.dropLast(5)).sync-conflict-20261123-080000-\(label).tlog"
        try logs.put(file.bytes(), at: "\(file.name.writer)/\(copy)")
    }

    private func sync(_ replica: SyncReplica) async throws {
        for _ in 0..<2 { _ = try await replica.service.sync() }
    }

    /// Whatever came first, the bytes are equal; new stores and stores with a part of the files join them.
    @Test func storesWithAllBranchesWriteEqualBaselines() async throws {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        let files = files()
        var known: [UInt8]?
        for round in 0..<5 {
            let logs = try LogsFolder()
            let replica = try await SyncReplica(logs.path, wall: wall)
            var names: Set<SegmentName> = []
            for file in files.all.shuffled(using: &generator) {
                try put(file, &names, logs)
                if Bool.random(using: &generator) { try await sync(replica) }
            }
            try await sync(replica)
            let comment: Comment = "seed \(generator.seed), round \(round)"
            let bytes = try baseline(replica)
            if let known { #expect(bytes == known, comment) }
            known = bytes
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(#"{"tributary":1,"baseline":2,"#))
            #expect(try !join(bytes, replica), comment)

            // Running stores have a part of the files, a new one none.
            for count in [0, 1, 3, 5] {
                let partLogs = try LogsFolder()
                let part = try await SyncReplica(partLogs.path, wall: wall)
                var partNames: Set<SegmentName> = []
                for file in files.all.shuffled(using: &generator).prefix(count) { try put(file, &partNames, partLogs) }
                try await sync(part)
                #expect(try join(bytes, part), "\(comment), \(count)")
                #expect(try digest(part) == digest(replica), "\(comment), \(count)")
                #expect(try baseline(part) == bytes, "\(comment), \(count)")
                #expect(try !join(bytes, part), "\(comment), \(count)")
                try await part.stop()
            }
            try await replica.stop()
        }
    }

    /// A store goes on from a joined baseline: what follows a branch, what is known, and another branch.
    @Test func aJoinedStoreTellsTheBranches() async throws {
        let files = files()
        let logs = try LogsFolder()
        let whole = try await SyncReplica(logs.path, wall: wall)
        var names: Set<SegmentName> = []
        for file in files.all { try put(file, &names, logs) }
        try await sync(whole)
        let joinedLogs = try LogsFolder()
        var joined = try await SyncReplica(joinedLogs.path, wall: wall)
        try join(baseline(whole), joined)
        try await joined.stop()
        joined = try await SyncReplica(joinedLogs.path, wall: wall, folder: joined.folder)
        var joinedNames: Set<SegmentName> = []
        // The files that it has already, and later ones of two branches, and a branch that the baseline does not have.
        let late = text(3, 5, 500, files.stem.sha256)
        let later = [text(6, 6, 600, files.branches[1].sha256), text(8, 8, 700, files.branches[3].sha256), late]
        for file in later {
            try put(file, &names, logs)
            try put(file, &joinedNames, joinedLogs)
        }
        for file in files.branches { try put(file, &joinedNames, joinedLogs) }
        for replica in [whole, joined] { try await sync(replica) }
        #expect(try digest(whole) == digest(joined))
        #expect(try baseline(whole) == baseline(joined))
        let alarm = joined.service.status.problems.first { $0.code == .writerForked }
        #expect(alarm?.writer == a, "\(joined.service.status.problems)")
        let states = try await joined.service.segments().filter { $0.state != .applied }
        #expect(states.isEmpty, "\(states)")
        try await whole.stop()
        try await joined.stop()
    }

    /// Where neither has all branches, nothing is joined.
    @Test func aStoreWithAnotherBranchDoesNotJoin() async throws {
        let files = files()
        let (leftLogs, rightLogs) = (try LogsFolder(), try LogsFolder())
        let left = try await SyncReplica(leftLogs.path, wall: wall)
        let right = try await SyncReplica(rightLogs.path, wall: wall)
        for file in [files.stem, files.other, files.branches[0]] { try leftLogs.put(file) }
        var names: Set<SegmentName> = []
        for file in [files.stem, files.other, files.branches[2], files.branches[3], files.branches[4]] {
            try put(file, &names, rightLogs)
        }
        for replica in [left, right] { try await sync(replica) }
        #expect(throws: BaselineJoinError.otherBranches(a)) { try join(baseline(right), left) }
        #expect(try !join(baseline(left), right))
        #expect(try left.employees(1...999) == [1, 2, 103, 104, 401, 402])
        try await left.stop()
        try await right.stop()
    }

    /// A baseline without a fork names one hash: other content up to the transaction of that hash is a branch.
    @Test func aLateBranchThatEndsWithAJoinedBaselineIsApplied() async throws {
        let logs = try LogsFolder()
        let whole = try await SyncReplica(logs.path, wall: wall)
        let stem = text(1, 2, 0, nil)
        let right = text(3, 4, 200, stem.sha256)
        for file in [stem, right] { try logs.put(file) }
        try await sync(whole)
        let joinedLogs = try LogsFolder()
        var joined = try await SyncReplica(joinedLogs.path, wall: wall)
        try join(baseline(whole), joined)
        try await joined.stop()
        joined = try await SyncReplica(joinedLogs.path, wall: wall, folder: joined.folder)
        try joinedLogs.put(stem)
        try await sync(joined)
        #expect(joined.service.status.problems.isEmpty, "\(joined.service.status.problems)")
        let left = text(3, 4, 100, stem.sha256)
        var names: Set<SegmentName> = [right.name]
        try put(left, &names, logs)
        try joinedLogs.put(left)
        for replica in [whole, joined] { try await sync(replica) }
        #expect(try joined.employees(1...999) == whole.employees(1...999))
        #expect(try digest(joined).digest == digest(whole).digest)
        #expect(joined.service.status.problems.contains { $0.code == .writerForked && $0.writer == a })
        // It does not know the segments of the first line past the fork, so that other stores cut the baselines.
        #expect(throws: StoreError.self) { try baseline(joined) }
        try await whole.stop()
        try await joined.stop()
    }
}
