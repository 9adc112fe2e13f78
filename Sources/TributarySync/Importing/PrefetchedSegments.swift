import TransactionLog
import TributaryChanges

/// The beginnings of a batch's segments, read before the write lock is taken.
///
/// A folder that does not answer then delays the import, but no local save. Only the rest of a large transaction is
/// read while the lock is held, for at most ``ReadAhead/patience`` without progress.
struct PrefetchedSegments: Sendable {
    private var readers: [SegmentName: ReadAhead] = [:]

    /// Reads segments in order until about a slice of them is in memory.
    ///
    /// - Throws: ``SegmentFailure`` with the fault of a segment.
    static func read(_ batch: ImportBatch) throws -> PrefetchedSegments {
        var prefetched = PrefetchedSegments()
        var budget = ReadBudget(changes: batch.sliceChanges)
        for item in batch.items where !budget.isSpent {
            let position = batch.positions[item.name.writer] ?? 0
            let reader =
                batch.paused.removeReader(of: item.segment, after: position) ?? open(item, of: batch, after: position)
            do {
                try reader.prefetch(&budget)
            } catch {
                throw SegmentFailure(name: item.name, error: error)
            }
            prefetched.readers[item.name] = reader
            guard batch.control.current == .proceed else { break }
        }
        return prefetched
    }

    /// Creates a reader that opens its file on the first request.
    static func open(_ item: ImportBatch.Item, of batch: ImportBatch, after position: UInt64) -> ReadAhead {
        let (logs, control) = (batch.logs, batch.control)
        let file = "\(logs.path)/\(item.name.path)"
        return ReadAhead(file: file, sliceChanges: batch.sliceChanges, control: control) { () throws(SegmentError) in
            let bytes = MeteredBytes(try logs.open(item.name), control)
            return SegmentReader(bytes, segment: item.segment, after: position, makesRuns: true)
        }
    }

    /// Removes and returns the reader of a segment whose beginning has been read.
    mutating func removeReader(of name: SegmentName) -> ReadAhead? { readers.removeValue(forKey: name) }

    func contains(_ name: SegmentName) -> Bool { readers[name] != nil }
}
