import TransactionLog
import TributaryChanges

/// The readers of a batch's segments: paused ones of the batch before, prefetched ones, and new ones.
///
/// The beginnings of the segments are read before the write lock is taken. A folder that does not answer then delays
/// the import, but no local save. Only the rest of a large transaction is read while the lock is held, for at most
/// ``ReadAhead/patience`` without progress.
struct SegmentReaders: Sendable {
    let logs: LogFolder
    var paused = PausedReaders()
    let sliceChanges: Int
    let control: ImportControl
    private(set) var prefetched: [SegmentName: ReadAhead] = [:]
    private(set) var isPrefetched = false
    private(set) var opened: Set<SegmentName> = []

    /// Reads segments in order until about a slice of them is in memory.
    mutating func prefetch(
        _ items: [ImportBatch.Item],
        positions: [UniqueID: UInt64],
        changes: Int = 0
    ) throws {
        isPrefetched = true
        var budget = ReadBudget(changes: max(changes, sliceChanges))
        for item in items where !budget.isSpent {
            let reader = continuedReader(of: item, after: positions[item.name.writer] ?? 0)
            do {
                try reader.prefetch(&budget)
            } catch {
                throw SegmentFailure(name: item.name, error: error)
            }
            prefetched[item.name] = reader
            guard control.current == .proceed else { break }
        }
    }

    /// Keeps the beginnings of segments for the next batch, as far as they can be read now.
    mutating func keep(_ items: [ImportBatch.Item]) {
        // The batch itself meets what cannot be read.
        try? prefetch(items, positions: [:])
        for item in items {
            guard let reader = prefetched.removeValue(forKey: item.name) else { continue }
            pause(reader, of: item.segment, after: beginning(of: item, after: 0))
        }
    }

    /// The transaction after which a segment is read: the position, or the one before the segment.
    private func beginning(of item: ImportBatch.Item, after position: UInt64) -> UInt64 {
        max(position, max(item.name.first, 1) - 1)
    }

    func hasBegun(_ name: SegmentName) -> Bool { prefetched[name] != nil || opened.contains(name) }

    /// Removes and returns the reader of a segment that continues after the transaction `position`.
    mutating func removeReader(of item: ImportBatch.Item, after position: UInt64) -> ReadAhead {
        opened.insert(item.name)
        return prefetched.removeValue(forKey: item.name) ?? continuedReader(of: item, after: position)
    }

    func pause(_ reader: ReadAhead, of segment: VerifiedSegment, after position: UInt64) {
        paused.store(reader, of: segment, after: position)
    }

    /// The reader that the batch before has paused, or one that opens its file on the first request.
    private func continuedReader(of item: ImportBatch.Item, after position: UInt64) -> ReadAhead {
        let segment = item.segment
        let position = beginning(of: item, after: position)
        if let reader = paused.removeReader(of: segment, after: position) { return reader }
        let (logs, control) = (logs, control)
        let file = "\(logs.path)/\(segment.name.path)"
        // The content is that of the whole segment.
        let batches = position < segment.name.first ? segment.batches : []
        return ReadAhead(
            file: file,
            batches: batches,
            sliceChanges: sliceChanges,
            control: control
        ) { () throws(SegmentError) in
            let bytes = MeteredBytes(try logs.open(segment.name), control)
            return SegmentReader(bytes, segment: segment, after: position, makesRuns: true)
        }
    }
}
