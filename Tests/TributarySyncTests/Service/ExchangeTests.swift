import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct ExchangeTests {
    private struct PowerFailure: Error {}

    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    @Test func twoReplicasOnOneFolderEndWithEqualDigests() async throws {
        let left = try await SyncReplica(logs.path, wall: wall, name: "left")
        let right = try await SyncReplica(logs.path, wall: wall, name: "right")
        try left.save((1...20).map { SyncModel.insert($0) })
        _ = try await left.service.sync()
        _ = try await right.service.sync()
        // Both replicas change one object concurrently.
        try left.save([SyncModel.update(3, "name", .string("left")), SyncModel.update(3, "salary", .double(1))])
        try right.save([SyncModel.update(3, "name", .string("right"))])
        try right.save([Change(entity: "Employee", id: SyncModel.employee(4), operation: .delete)])
        for _ in 0..<2 {
            for replica in [left, right] { _ = try await replica.service.sync() }
        }
        let digests = try [left, right].map { try $0.store.read { try $0.mergeState.digest() } }
        #expect(digests[0].digest == digests[1].digest)
        #expect(digests[0].vector.mapValues(\.sequence) == digests[1].vector.mapValues(\.sequence))
        #expect(try left.employees(1...20).count == 19)
        // Imported transactions are not exported again: each replica's folder contains its own transactions only.
        #expect(logs.segments(of: left.own).last?.last == 2)
        #expect(logs.segments(of: right.own).last?.last == 2)
    }

    @Test func localChangesAreExportedWhenTheServiceStops() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try replica.save([SyncModel.insert(1)])
        try await replica.stop()
        #expect(logs.segments(of: replica.own).map(\.last) == [1])
    }

    @Test func theHintOfACommitStartsAnExport() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, configure: { $0.exportDebounce = .zero })
        try replica.replica.commit([SyncModel.insert(1)])
        while replica.service.activity.meters.exported.transactions == 0 { await Task.yield() }
        #expect(logs.segments(of: replica.own).map(\.last) == [1])
    }

    @Test func anInterruptedExportIsFinishedByTheNextRunWithTheSameBytes() async throws {
        let stop: @Sendable (Exporter.Step) throws -> Void = { step in
            if case .placed = step { throw PowerFailure() }
        }
        let broken = try await SyncReplica(logs.path, wall: wall, interruptExport: stop)
        try broken.save([SyncModel.insert(1)])
        await #expect(throws: PowerFailure.self) { try await broken.service.exportNow() }
        #expect(broken.service.status.problems.map(\.code) == [.exportFailed])
        let name = SegmentName(writer: broken.own, first: 1, last: 1)
        let bytes = try #require(logs.bytes(of: name))
        try await broken.stop()
        let whole = try await SyncReplica(logs.path, wall: wall, folder: broken.folder)
        try await whole.service.exportNow()
        #expect(logs.bytes(of: name) == bytes)
        #expect(try whole.store.read { try $0.outbox.unfinishedExports().isEmpty })
        #expect(whole.service.status.problems.isEmpty)
    }

    @Test func importsAreAcknowledgedOnceAndAcknowledgementsAreNot() async throws {
        let prompt: (inout SyncConfiguration) -> Void = { configuration in
            configuration.exportDebounce = .zero
            configuration.acknowledge = .zero
        }
        let reader = try await SyncReplica(logs.path, wall: wall, configure: prompt)
        let other = try await SyncReplica(logs.path, wall: wall)
        let events = other.service.segmentEvents()
        try logs.hire(LogsFolder.writer(1), 1...1)
        // The other replica imports the acknowledgement, which has no changes and names the seen transactions.
        let news = try await SyncReplica.wait(events) { $0.id.writer == reader.own && $0.state == .applied }
        #expect(news.id == SegmentName(writer: reader.own, first: 1, last: 1))
        let seen = try other.store.read { try $0.writers.all().first { $0.id == reader.own }?.seen }
        #expect(seen?[LogsFolder.writer(1)] == 1)
        #expect(try reader.store.read { try $0.writers.own().sequence } == 1)
        // An acknowledgement by another writer needs no acknowledgement.
        try logs.put(SegmentText(writer: LogsFolder.writer(2), [SyncModel.transaction(1, [])]))
        _ = try await reader.service.sync()
        #expect(try reader.position(LogsFolder.writer(2)) == 1)
        #expect(try reader.store.read { try $0.writers.own().sequence } == 1)
    }

    @Test func aThousandSmallSegmentsInRandomOrderAreApplied() async throws {
        var random = SeededGenerator.printingSeed()
        let writer = LogsFolder.writer(1)
        for number in (1...1_000 as ClosedRange<UInt64>).shuffled(using: &random) {
            try logs.hire(writer, number...number)
        }
        let replica = try await SyncReplica(logs.path, wall: wall)
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 1_000)
        #expect(replica.service.status.segments == [.applied: 1_000])
        #expect(try await replica.service.segments().isEmpty)
        try await replica.stop()
        // After a restart the service reads nothing but end lines.
        let again = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        try await again.service.importAll()
        #expect(again.service.status.imported == ImportCounts())
        #expect(again.service.status.segments == [.applied: 1_000])
    }

    /// More segments of one writer than the importer's cache holds.
    @Test func moreSegmentsThanAreRememberedAreImported() async throws {
        let count: UInt64 = 4_500
        let folder = try TemporaryFolder.inMemory("backlog")
        let writer = LogsFolder.writer(1)
        mkdir(folder.path("logs"), 0o770)
        mkdir(folder.path("logs/\(writer)"), 0o770)
        for sequence in 1...count {
            let segment = LogsFolder.text(writer, sequence...sequence)
            let path = folder.path("logs/\(segment.name.path)")
            try #require(FileManager.default.createFile(atPath: path, contents: Data(segment.bytes())))
        }
        let replica = try await SyncReplica(folder.path("logs"), wall: SyncWall())
        let result = try await replica.service.sync()
        #expect(try replica.position(writer) == count)
        #expect(replica.service.status.segments == [.applied: Int(count)])
        #expect(result.remaining.isEmpty)
        try await replica.stop()
    }
}
