import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

@Suite struct ExporterTests {
    private struct PowerFailure: Error {}

    private let folder: TemporaryFolder
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let store: Store
    private let own: UniqueID

    init() throws {
        folder = try TemporaryFolder("export")
        logs = try LogsFolder()
        store = try SyncModel.open(in: folder, name: "till-12", wall: wall)
        own = try store.read { try $0.writers.own().id }
    }

    private func exporter(
        _ store: Store? = nil,
        logs: String? = nil,
        segmentBytes: Int = 1 << 20,
        maxAhead: Duration = .seconds(3600),
        wall: WallTime? = nil,
        interrupt: @escaping @Sendable (Exporter.Step) throws -> Void = { _ in }
    ) -> Exporter {
        var configuration = SyncConfiguration(logs: logs ?? self.logs.path)
        configuration.name = "till-12"
        configuration.segmentBytes = segmentBytes
        configuration.maxAhead = maxAhead
        return Exporter(
            store: store ?? self.store,
            configuration: configuration,
            wall: wall ?? self.wall.now,
            interrupt: interrupt
        )
    }

    private func save(_ numbers: ClosedRange<UInt64>) throws {
        for number in numbers {
            _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: [SyncModel.insert(number)])) }
        }
    }

    private func verified(_ name: SegmentName) throws -> VerifiedSegment {
        try SegmentVerifier().verify(LogFolder(path: logs.path).open(name), name: name)
    }

    @Test func localTransactionsGoOutOnceAndFollowEachOther() throws {
        try save(1...3)
        #expect(try exporter().run() == ImportCounts(segments: 1, transactions: 3, changes: 3))
        #expect(try exporter().run() == ImportCounts())
        try save(4...5)
        #expect(try exporter().run() == ImportCounts(segments: 1, transactions: 2, changes: 2))
        let names = logs.segments(of: own)
        #expect(names.map(\.first) == [1, 4] && names.map(\.last) == [3, 5])
        let first = try verified(names[0])
        let second = try verified(names[1])
        #expect(first.header.previous == nil)
        #expect(first.header.name == "till-12" && first.header.model == "1")
        #expect(second.header.previous == first.end.sha256)
    }

    /// A store does not lose what peers have seen of it: saves alone do not sync the WAL.
    @Test func theStoreIsDurableBeforeItsSegmentHasItsName() throws {
        try save(1...2)
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: false)
        let exporter = exporter(logs: folder.path("logs"))
        let calls = try DurableCalls(in: folder.path) { try exporter.run() }
        let name = SegmentName(writer: own, first: 1, last: 2)
        #expect(calls.contain("sync store.sqlite-wal", "name logs/\(name.path)"), "\(calls)")
    }

    @Test func aSegmentTakesNoMoreThanItsBytesButAlwaysOneTransaction() throws {
        try save(1...5)
        #expect(try exporter(segmentBytes: 1).run().segments == 5)
        #expect(logs.segments(of: own).count == 5)
    }

    /// The lines of a long transaction are written to the store and to the segment in pieces.
    @Test func aLongTransactionIsExportedWhole() throws {
        let changes = (1...6_000).map { SyncModel.insert($0) }
        _ = try store.write { try $0.commit(LocalTransaction(changes: changes)) }
        try save(6_001...6_001)
        #expect(try exporter(segmentBytes: 1).run() == ImportCounts(segments: 2, transactions: 2, changes: 6_001))
        let segment = try verified(SegmentName(writer: own, first: 1, last: 1))
        let reader = SegmentReader(try LogFolder(path: logs.path).open(segment.name), segment: segment)
        var exported: [Change] = []
        while let batch = try reader.nextBatch(limit: 1_000) {
            for case .changes(let some) in batch.events { exported += some }
        }
        #expect(exported == changes)
    }

    @Test func anExportThatStopsBeforeTheRenameIsFinishedWithTheSameBytes() throws {
        try save(1...2)
        let stopping = exporter { step in
            if case .begun = step { throw PowerFailure() }
        }
        #expect(throws: PowerFailure.self) { try stopping.run() }
        #expect(logs.segments(of: own).isEmpty)
        // Later saves do not change a segment whose export has begun.
        try save(3...3)
        #expect(try exporter().run().segments == 2)
        #expect(logs.segments(of: own).map(\.last) == [2, 3])
    }

    @Test func anExportThatStopsAfterTheRenameFindsItsOwnBytes() throws {
        try save(1...2)
        let stopping = exporter { step in
            if case .placed = step { throw PowerFailure() }
        }
        #expect(throws: PowerFailure.self) { try stopping.run() }
        let name = try #require(logs.segments(of: own).first)
        let before = try #require(logs.bytes(of: name))
        #expect(try store.read { try $0.outbox.unfinishedExports().count } == 1)
        #expect(try exporter().run().segments == 1)
        #expect(logs.bytes(of: name) == before)
        #expect(try store.read { try $0.outbox.unfinishedExports().isEmpty })
        let recorded = try store.read { try $0.writers.segment(writer: own, beginningBy: 1)?.sha256 }
        #expect(recorded == SegmentText.tailHash(before))
    }

    @Test func aStoreWhoseOwnClockIsAheadHoldsItsExports() throws {
        try save(1...1)
        let late = exporter(maxAhead: .seconds(1), wall: wall.now.earlier(by: .milliseconds(10_000)))
        #expect(throws: ExportFailure.clockAhead(by: .milliseconds(10_000))) { try late.run() }
        #expect(logs.segments(of: own).isEmpty)
    }

    /// A transaction that is saved while a segment is written must not leave with a clock that the peers would hold.
    @Test func aClockThatRunsAheadDuringAnExportHoldsTheRest() throws {
        try save(1...1)
        let exporter = self.exporter { step in
            guard case .placed(let name) = step, name.first == 1 else { return }
            wall.advance(milliseconds: 3_600_001)
            try save(2...2)
        }
        #expect(throws: ExportFailure.clockAhead(by: .milliseconds(3_600_001))) { try exporter.run() }
        #expect(logs.segments(of: own).map(\.last) == [1])
    }

    @Test func exportsImportIntoAnotherStoreAndAreNotExportedFromThere() throws {
        try save(1...3)
        _ = try store.write { transaction in
            try transaction.commit(LocalTransaction(changes: [SyncModel.update(2, "salary", .double(12.5))]))
        }
        try exporter(segmentBytes: 1).run()
        let other = try SyncModel.open(in: folder, "other.sqlite", wall: wall)
        let result = try importAll(into: other)
        #expect(result.counts == ImportCounts(segments: 4, transactions: 4, changes: 4))
        #expect(try SyncModel.employees(1...9, in: other) == [1, 2, 3])
        #expect(try exporter(other).run() == ImportCounts())
    }

    private func importAll(into other: Store) throws -> ImportBatch.Result {
        let batch = ImportBatch(
            readers: SegmentReaders(
                logs: try LogFolder(path: logs.path),
                sliceChanges: 20_000,
                control: ImportControl()
            ),
            items: try logs.segments(of: own).map { ImportBatch.Item(name: $0, segment: try verified($0)) },
            positions: [:],
            abandoned: [],
            wall: wall.now
        )
        return try other.write { try batch.apply($0).0 }
    }
}

extension SegmentText {
    static func tailHash(_ bytes: [UInt8]) -> String? {
        let lines = bytes.split(separator: 0x0A)
        guard let last = lines.last else { return nil }
        return hash(Array(bytes[..<(bytes.count - last.count - 1)]))
    }
}
