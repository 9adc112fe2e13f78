import Glibc
import Synchronization
import TestSupport
import Testing
import TributaryChanges

@testable import TransactionLog
@testable import TributarySync

/// The part of a segment that is read before it is requested.
@Suite struct ReadAheadTests {
    /// Bytes that report the offset up to which they have been read.
    private struct WatchedBytes: SegmentBytes {
        let source: MemorySegment
        let hasRead: @Sendable (UInt64) -> Void

        var file: String { source.file }

        func size() throws(SegmentError) -> UInt64 { try source.size() }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
            let count = try source.read(at: offset, into: buffer)
            hasRead(offset + UInt64(count))
            return count
        }
    }

    /// The greatest distance between the read bytes and the requested ones.
    private final class Distance: Sendable {
        private let state = Mutex((taken: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func read(_ offset: UInt64) { state.withLock { $0.most = max($0.most, Int(offset) - $0.taken) } }

        func take(_ count: Int) { state.withLock { $0.taken += count } }
    }

    private final class Threads: Sendable {
        private let known = Mutex<Set<pthread_t>>([])

        var all: Set<pthread_t> { known.withLock { $0 } }

        func add() { known.withLock { _ = $0.insert(pthread_self()) } }
    }

    private let source: MemorySegment
    private let segment: VerifiedSegment

    init() throws {
        (source, segment) = try ReadAheadTests.verified(1...20, name: String(repeating: "x", count: 1 << 20))
    }

    private static func verified(
        _ range: ClosedRange<UInt64>,
        name: String,
        sliceChanges: Int = 20_000
    ) throws -> (MemorySegment, VerifiedSegment) {
        let text = LogsFolder.text(LogsFolder.writer(1), range, name: name)
        let source = MemorySegment(text.bytes())
        return (source, try SegmentVerifier(sliceChanges: sliceChanges).verify(source, name: text.name))
    }

    private static func reader(
        _ source: MemorySegment,
        _ segment: VerifiedSegment,
        sliceChanges: Int = 20_000,
        hasRead: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) -> ReadAhead {
        let bytes = WatchedBytes(source: source, hasRead: hasRead)
        // A busy machine may need a long time for a batch.
        return ReadAhead(
            file: source.file,
            sliceChanges: sliceChanges,
            control: ImportControl(patience: .seconds(600))
        ) {
            SegmentReader(bytes, segment: segment, makesRuns: true)
        }
    }

    @Test(.timeLimit(.minutes(30))) func theNextSliceIsReadWhileOneIsApplied() async throws {
        let end = try #require(segment.slices.dropFirst().first).bounds.upperBound
        let (offsets, read) = AsyncStream.makeStream(of: UInt64.self)
        let reader = ReadAheadTests.reader(source, segment) { read.yield($0) }
        var budget = ReadBudget(changes: 20_000)
        try reader.prefetch(&budget)
        while let batch = try reader.next(), !batch.endsSlice {}
        // The caller requests nothing more, as it does while a slice is applied.
        for await offset in offsets where offset >= end { break }
        withExtendedLifetime(reader) {}
    }

    @Test func littleMoreThanASliceIsReadAheadHoweverLongTheSegmentIs() throws {
        let distance = Distance()
        let reader = ReadAheadTests.reader(source, segment) { distance.read($0) }
        var budget = ReadBudget(changes: 20_000)
        try reader.prefetch(&budget)
        var events = 0
        while let batch = try reader.next() {
            events += batch.events.count
            distance.take(batch.byteCount)
        }
        #expect(events == 60)
        // The memory holds a slice of 4 MiB, its last transaction, a batch of 2 MiB, and the batch that the caller is
        // about to report.
        #expect(distance.most <= 10 << 20, "\(distance.most)")
    }

    /// A caller that may wait reads on its own thread: a small segment costs no change of threads.
    @Test func slicesBeforeTheWriteLockAreReadByTheCaller() throws {
        let (source, segment) = try ReadAheadTests.verified(1...4, name: "Ann")
        let threads = Threads()
        let reader = ReadAheadTests.reader(source, segment) { _ in threads.add() }
        var budget = ReadBudget(changes: 20_000)
        try reader.prefetch(&budget)
        while try reader.next() != nil {}
        #expect(threads.all == [pthread_self()])
    }

    /// Each small transaction makes three events; a slice counts one for each of them.
    @Test func aSliceOfSmallTransactionsIsReadBeforeTheWriteLock() throws {
        let (source, segment) = try ReadAheadTests.verified(1...4_000, name: "Ann", sliceChanges: 4_000)
        let reader = ReadAheadTests.reader(source, segment, sliceChanges: 4_000)
        var budget = ReadBudget(changes: 4_000)
        try reader.prefetch(&budget)
        var isSliceRead = false
        while !isSliceRead, reader.hasPrefetched, let batch = try reader.next() { isSliceRead = batch.endsSlice }
        #expect(isSliceRead)
    }
}
