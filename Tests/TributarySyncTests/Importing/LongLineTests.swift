import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Segments with few long changes: the limit of their memory counts bytes.
@Suite struct LongLineTests {
    private let folder: TemporaryFolder
    private let logs: LogsFolder
    private let store: Store
    private let writer = LogsFolder.writer(1)
    private let paused = PausedReaders()

    init() throws {
        folder = try TemporaryFolder("long-lines")
        logs = try LogsFolder()
        store = try SyncModel.open(in: folder)
    }

    private func verified() throws -> VerifiedSegment {
        let segment = try logs.hire(writer, 1...16, name: String(repeating: "x", count: 1 << 20))
        let file = try LogFolder(path: logs.path).open(segment.name)
        return try SegmentVerifier().verify(file, name: segment.name)
    }

    private func batch(_ segment: VerifiedSegment, after position: UInt64) throws -> ImportBatch {
        ImportBatch(
            readers: SegmentReaders(
                logs: try LogFolder(path: logs.path),
                paused: paused,
                sliceChanges: 20_000,
                control: ImportControl()
            ),
            items: [ImportBatch.Item(name: segment.name, segment: segment)],
            positions: [writer: position],
            abandoned: [],
            wall: SyncWall.start
        )
    }

    @Test func slicesEndWithAFewMebibytes() throws {
        let slices = try verified().slices
        #expect(slices.map(\.changes).reduce(0, +) == 16)
        #expect(slices.allSatisfy { $0.changes <= 5 }, "\(slices.map(\.changes))")
    }

    @Test func aTransactionTakesWhatWasReadBeforeTheWriteLock() throws {
        let segment = try verified()
        var position: UInt64 = 0
        var batches = 0
        while position < 16, batches < 16 {
            let batch = try batch(segment, after: position).prefetched()
            let (result, committed) = try store.write { try batch.apply($0) }
            #expect(committed.count <= 10)
            position = try #require(result.positions[writer])
            batches += 1
        }
        #expect(position == 16)
        #expect(batches >= 2)
        #expect(try SyncModel.employees(1...16, in: store).count == 16)
    }
}
