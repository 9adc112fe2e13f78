import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

@Suite struct ImportBatchTests {
    private let folder: TemporaryFolder
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let store: Store
    private let control = ImportControl()
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)

    init() throws {
        folder = try TemporaryFolder("batch")
        logs = try LogsFolder()
        store = try SyncModel.open(in: folder, wall: wall)
    }

    private func item(_ segment: SegmentText, slice: Int = 20_000) throws -> ImportBatch.Item {
        let file = try LogFolder(path: logs.path).open(segment.name)
        let verified = try SegmentVerifier(sliceChanges: slice).verify(file, name: segment.name)
        return ImportBatch.Item(name: segment.name, segment: verified)
    }

    private func batch(
        _ items: [ImportBatch.Item],
        positions: [UniqueID: UInt64] = [:],
        slice: Int = 20_000
    ) throws -> ImportBatch {
        ImportBatch(
            readers: SegmentReaders(logs: try LogFolder(path: logs.path), sliceChanges: slice, control: control),
            items: items,
            positions: positions,
            abandoned: [],
            wall: wall.now
        )
    }

    private func position(_ writer: UniqueID) throws -> UInt64 {
        try store.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
    }

    private func count() throws -> Int {
        try SyncModel.employees(1...200, in: store).count
    }

    @Test func writersThatWaitForEachOthersTransactionsGoThroughInOneBatch() throws {
        // a: 1, 2 after b's 1, 3 after b's 3; b: 1 after a's 1, 2, 3 after a's 2.
        let ofA = try logs.hire(a, 1...3, seen: [2: [b: 1], 3: [b: 3]])
        let ofB = try logs.hire(b, 1...3, base: 100, seen: [1: [a: 1], 3: [a: 2]])
        let batch = try batch([item(ofA), item(ofB)])
        let (result, committed) = try store.write { try batch.apply($0) }
        #expect(Set(result.finished) == [ofA.name, ofB.name])
        #expect(result.unmet.isEmpty && result.partials.isEmpty)
        #expect(committed.map(\.sequence) == [1, 1, 2, 2, 3, 3])
        #expect(try count() == 6)
    }

    @Test func aSegmentIsAppliedUpToTheTransactionThatWaitsAndRemembersIt() throws {
        let segment = try logs.hire(a, 1...4, seen: [3: [b: 1]])
        let item = try item(segment)
        let first = try batch([item])
        let result = try store.write { try first.apply($0).0 }
        #expect(try position(a) == 2)
        #expect(result.unmet[segment.name] == SegmentSummary.UnmetDependencies(sequence: 3, needs: [b: 1]))
        #expect(result.finished.isEmpty)
        let kept = try store.read { try $0.setting(StoreKeys.partial(a)) }
        #expect(kept == "\(segment.name.fileName) \(item.segment.end.sha256) 0")

        let other = try logs.hire(b, 1...1, base: 100)
        let second = try batch([item, self.item(other)], positions: [a: 2])
        let done = try store.write { try second.apply($0).0 }
        #expect(done.counts.transactions == 3)
        #expect(try position(a) == 4)
        #expect(try store.read { try $0.setting(StoreKeys.partial(a)) } == nil)
        #expect(try store.read { try $0.writers.segment(writer: a, 1, 4) } != nil)
    }

    @Test func aFileThatIsSwappedAfterVerificationLeavesNothing() throws {
        let segment = try logs.hire(a, 1...3)
        let item = try item(segment)
        try logs.hire(a, 1...3, name: "Eve")
        let batch = try batch([item])
        #expect(throws: SegmentFailure.self) { try store.write { try batch.apply($0).0 } }
        #expect(try position(a) == 0)
        #expect(try count() == 0)
    }

    @Test func whatWasReadAheadIsAppliedWithoutItsFile() throws {
        let segments = [try logs.hire(a, 1...3), try logs.hire(a, 4...6, base: 100)]
        let batch = try batch(segments.map { try item($0) })
        var readers = batch.readers
        try readers.prefetch(batch.items, positions: [:])
        for segment in segments { try FileManager.default.removeItem(atPath: "\(logs.path)/\(segment.name.path)") }
        let read = try batch.prefetched()
        #expect(try store.write { try read.apply($0).0 }.finished == segments.map(\.name))
        // A batch has what it takes removed.
        #expect(throws: SegmentFailure.self) { try batch.prefetched() }
    }

    @Test func whatIsDroppedIsReadAgain() throws {
        let segment = try logs.hire(a, 1...3)
        let batch = try batch([item(segment)])
        var readers = batch.readers
        try readers.prefetch(batch.items, positions: [:])
        readers.paused.keep(only: [])
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(segment.name.path)")
        #expect(throws: SegmentFailure.self) { try batch.prefetched() }
    }

    @Test func whatCouldNotBeReadIsReadAgain() throws {
        let segment = try logs.hire(a, 1...3)
        let batch = try batch([item(segment)])
        let reader = ReadAhead(file: "a", sliceChanges: 10, control: batch.readers.control) {
            () throws(SegmentError) in throw SegmentError.silent("a")
        }
        #expect(throws: SegmentError.self) { try reader.next() }
        batch.readers.paused.store(reader, of: batch.items[0].segment, after: 0)
        let read = try batch.prefetched()
        #expect(try store.write { try read.apply($0).0 }.finished == [segment.name])
    }

    @Test func whatTheVerifierHasKeptIsNotReadAgain() throws {
        let segment = try logs.hire(a, 1...3)
        let file = try LogFolder(path: logs.path).open(segment.name)
        let verified = try SegmentVerifier(keptBytes: .max).verify(file, name: segment.name)
        let batch = try batch([ImportBatch.Item(name: segment.name, segment: verified)])
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(segment.name.path)")
        let read = try batch.prefetched()
        #expect(try store.write { try read.apply($0).0 }.finished == [segment.name])
        #expect(try count() == 3)
    }

    @Test func whatWasReadAheadOfOtherBytesIsReadAgain() throws {
        let segment = try logs.hire(a, 1...3)
        let first = try batch([item(segment)])
        var readers = first.readers
        try readers.prefetch(first.items, positions: [:])
        let other = try logs.hire(a, 1...3, name: "Eve")
        var second = try batch([item(other)])
        second.readers = first.readers
        let read = try second.prefetched()
        #expect(try store.write { try read.apply($0).0 }.counts.changes == 3)
        let row = try store.read { try $0.row(SyncModel.employee(1), rootEntity: "Employee") }
        #expect(row?.values.contains(.string("Eve")) == true)
    }

    @Test func aBatchEndsWithASliceAndGoesOnFromThere() throws {
        let segment = try logs.hire(a, 1...10)
        let item = try item(segment, slice: 4)
        var rounds = 0
        while try position(a) < 10 {
            let batch = try batch([item], positions: [a: position(a)], slice: 4)
            let result = try store.write { try batch.apply($0).0 }
            #expect(result.counts.changes <= 4)
            rounds += 1
            try #require(rounds < 20)
        }
        #expect(try count() == 10)
        #expect(try store.read { try $0.writers.segment(writer: a, beginningBy: 1)?.sha256 } == item.segment.end.sha256)
    }

    @Test func aBatchHasSeveralSlicesWhereRowsComeOutOfOrderAndNobodyWaits() throws {
        let item = try item(logs.hire(a, 1...40), slice: 8)
        func changes(_ items: [ImportBatch.Item], isAwaited: Bool = false) throws -> Int {
            var batch = try batch(items, positions: [a: position(a), b: position(b)], slice: 8)
            batch.changeLimit = 100
            batch.isAwaited = { isAwaited }
            return try store.write { try batch.apply($0).0 }.counts.changes
        }
        #expect(try changes([item]) == 4)
        // The objects of the other writer have greater IDs, so that those of this one come out of order.
        #expect(try changes([self.item(logs.hire(b, 1...2, base: 100)), item], isAwaited: true) == 6)
        #expect(try changes([self.item(logs.hire(b, 3...4, base: 100)), item]) == 18)
    }

    /// As many changes as hold the write lock for 0.2 s, but at least a slice and at most five.
    @Test func aBatchIsAsLongAsTheLastOneLetsExpect() {
        let pace = BatchPace()
        #expect(pace.changeLimit(slice: 20_000) == 20_000)
        pace.note(20_000, in: .milliseconds(100))
        #expect(pace.changeLimit(slice: 20_000) == 40_000)
        pace.note(40_000, in: .milliseconds(20))
        #expect(pace.changeLimit(slice: 20_000) == 100_000)
        // A batch of few changes tells nothing, unless it was slow.
        pace.note(10, in: .milliseconds(100))
        #expect(pace.changeLimit(slice: 20_000) == 100_000)
        pace.note(10, in: .seconds(1))
        #expect(pace.changeLimit(slice: 20_000) == 20_000)
        pace.note(40_000, in: .milliseconds(20))
        pace.note(20_000, in: .seconds(5))
        #expect(pace.changeLimit(slice: 20_000) == 20_000)
        pace.note(20_000, in: .zero)
        #expect(pace.changeLimit(slice: 20_000) == 20_000)
    }

    @Test(arguments: [ImportControl.Order.finish, .abort])
    func nothingIsBegunOnceTheServiceStops(_ order: ImportControl.Order) throws {
        let segment = try logs.hire(a, 1...10)
        let batch = try batch([item(segment)])
        control.give(order)
        let result = try store.write { try batch.apply($0).0 }
        #expect(result.counts.transactions == 0)
        control.give(.proceed)
        #expect(try store.write { try batch.apply($0).0 }.counts.transactions == 10)
    }

    @Test func deferredValuesAreCountedForTheSegment() throws {
        let changes = [
            SyncModel.insert(1), SyncModel.update(1, "salary", .string("much")),
            SyncModel.update(1, "shoeSize", .integer(43)),
        ]
        let segment = SegmentText(writer: a, [SyncModel.transaction(1, changes)])
        try logs.put(segment)
        let batch = try batch([item(segment)])
        let result = try store.write { try batch.apply($0).0 }
        #expect(result.deferred == 2)
        #expect(try store.read { try $0.writers.segment(writer: a, beginningBy: 1)?.deferredCount } == 2)
        #expect(try count() == 1)
    }

    @Test func onlyTransactionsWithChangesCallForAnAcknowledgement() throws {
        let empty = SegmentText(writer: a, [SyncModel.transaction(1, [])])
        try logs.put(empty)
        let first = try batch([item(empty)])
        _ = try store.write { try first.apply($0).0 }
        #expect(try store.read { try $0.setting(StoreKeys.unacknowledged) } == nil)
        let second = try batch([item(logs.hire(b, 1...1))])
        _ = try store.write { try second.apply($0).0 }
        #expect(try store.read { try $0.setting(StoreKeys.unacknowledged) } == "0 \(wall.now)")
    }
}
