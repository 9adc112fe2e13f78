import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryMigration
import TributaryModel
import TributaryStore

@testable import TributarySync

/// A store is set back to an older copy whose unexported saves were published and compacted: what a baseline shows of
/// them is not issued again, and nothing is lost.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct CompactedOutboxTests {
    private let group: CompactingReplicas

    init() throws {
        let visits = "visits: {type: Integer 64, default: 0, merge: counter}"
        group = try CompactingReplicas(model: Model(yaml: EmployeeModel.text(adding: visits)))
    }

    private func visit(_ employee: UInt64, _ count: Int64 = 1) -> Change {
        SyncModel.update(employee, "visits", .object([JSONMember(key: "increment", value: .integer(count))]))
    }

    /// Saves in a closed store; its sync, which would find a copy, does not run.
    private func save(_ saves: [[Change]], in folder: TemporaryFolder) throws {
        let wall = group.wall
        let environment = StoreEnvironment(
            wallTime: { wall.now },
            random: { .random(in: .min ... .max) },
            home: StoreEnvironment.system.home
        )
        let store = try Store.open(
            StoreConfiguration(
                path: folder.path("store.sqlite"),
                name: "test",
                model: try #require(group.model),
                environment: environment
            ),
            migrator: Migrator()
        )
        for changes in saves {
            _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: changes)) }
        }
        try store.close()
    }

    private func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copied = try TemporaryFolder("copy")
        let (from, to) = (folder.path("store.sqlite"), copied.path("store.sqlite"))
        try FileManager.default.copyItem(atPath: from, toPath: to)
        return copied
    }

    /// Sets a store back to a copy after others have compacted all of its segments: `common` are unexported saves of
    /// both, `later` those of the original alone, which publishes them.
    private func setBack(
        _ common: [[Change]],
        copied: [[Change]] = [],
        later: [[Change]]
    ) async throws -> SyncReplica {
        for _ in 0..<2 { try await group.add() }
        let first = group.replicas[0]
        for (number, replica) in group.replicas.enumerated() {
            try replica.save([SyncModel.insert(UInt64(number) + 1)])
        }
        try await group.exchange()
        try await group.acknowledge()
        let known = try first.store.read { try $0.writers.own().sequence }
        group.replicas.removeFirst()
        try await first.stop()
        try save(common, in: first.folder)
        let folder = try copy(first.folder)
        try save(copied, in: folder)
        let last = known + UInt64(common.count + copied.count)

        let original = try await group.add(in: first.folder)
        #expect(original.service.ownWriter == first.own)
        for changes in later { try original.save(changes) }
        try await group.exchange()
        for _ in 0..<3 {
            try await group.acknowledge()
            try await group.compactAll()
        }
        #expect(group.logs.segments(of: first.own).allSatisfy { $0.first > last }, "segments are left")
        group.replicas.removeAll { $0 === original }
        try await original.stop()
        try FileManager.default.removeItem(atPath: first.folder.path("store.sqlite"))
        let copy = try await group.add(in: folder)
        #expect(copy.service.ownWriter != first.own)
        return copy
    }

    private func reissued(by replica: SyncReplica) throws -> UInt64 {
        try replica.store.read { try $0.writers.own().sequence }
    }

    /// Exchanges everything; all have one state then.
    private func settle() async throws {
        for _ in 0..<2 {
            try await group.exchange()
            try await group.acknowledge()
        }
        #expect(try group.digests().count == 1)
    }

    private func finish() async throws {
        for replica in group.replicas {
            let report = try await replica.check(group.logs.path)
            #expect(report.problems.isEmpty, "\(report.problems)")
        }
        try await group.stop()
    }

    @Test func whatABaselineShowsIsNotIssuedAgain() async throws {
        let copy = try await setBack(
            [[visit(1)], [SyncModel.insert(3), visit(2)], [visit(1, 5), SyncModel.update(3, "salary", .double(7))]],
            later: [[visit(1)], [SyncModel.update(1, "name", .string("Eve"))]]
        )
        #expect(try reissued(by: copy) == 0)
        let state = try group.replicas[0].store.read { try $0.mergeState.digest().digest }
        try await settle()
        #expect(try group.digests() == [state])
        // The store goes on.
        try copy.save([SyncModel.insert(9), visit(1)])
        try await settle()
        #expect(try group.replicas[0].employees(1...9) == [1, 2, 3, 9])
        try await finish()
    }

    /// Increments leave nothing in a baseline that tells when they were made: after the last transaction that it shows they
    /// are issued again.
    @Test func whatFollowsTheLastShownTransactionIsIssuedAgain() async throws {
        let copy = try await setBack([[SyncModel.insert(3)], [visit(1)]], later: [[visit(2)]])
        #expect(try reissued(by: copy) == 1)
        try await settle()
        try await finish()
    }

    /// Two copies have saved apart, at equal wall times: the baseline has the one branch, nothing of the other.
    @Test func nothingOfAnotherBranchIsLost() async throws {
        let copy = try await setBack(
            [],
            copied: [[SyncModel.insert(30)], [visit(1)]],
            later: [[SyncModel.insert(40)], [visit(1)]]
        )
        #expect(try reissued(by: copy) == 2)
        try await settle()
        for replica in group.replicas { #expect(try replica.employees(1...99) == [1, 2, 30, 40]) }
        try await finish()
    }

    /// Two copies part after a common save.
    @Test func theCommonPartOfTwoBranchesIsPublished() async throws {
        let copy = try await setBack(
            [[visit(2)], [SyncModel.insert(3), visit(1)]],
            copied: [[SyncModel.insert(30)]],
            later: [[SyncModel.insert(40)]]
        )
        #expect(try reissued(by: copy) == 1)
        try await settle()
        for replica in group.replicas { #expect(try replica.employees(1...99) == [1, 2, 3, 30, 40]) }
        try await finish()
    }
}
