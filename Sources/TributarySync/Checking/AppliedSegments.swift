import TransactionLog
import TributaryChanges
import TributaryStore

/// Reads the segments of the log folder that a store has applied, or would apply.
struct AppliedSegments {
    let logs: LogFolder
    let store: Store
    let trust: StoreTrust

    struct Transaction: Hashable, Sendable {
        var writer: UniqueID
        var sequence: UInt64
    }

    /// Whether the log folder has no usable segment with a transaction; O(n) for the writer's segments.
    func lack(_ transaction: Transaction) throws -> Bool {
        let (writer, last) = (transaction.writer, transaction.sequence)
        return try forEachChange(of: writer, after: last - 1, through: last, step: {}) { _, _ in } != nil
    }

    /// Hands over the changes of a writer's transactions above `after`, up to `last`, in order; those after a gap too.
    ///
    /// A segment counts when the store has applied these bytes, or when it has no record of the segment and trusts it.
    ///
    /// - Returns: The first missing transaction, or nil.
    /// - Throws: ``SegmentError`` when the folder cannot be read, ``StoreError``, and what `step` and `body` throw.
    func forEachChange(
        of writer: UniqueID,
        after: UInt64,
        through last: UInt64,
        step: () throws -> Void,
        _ body: (TransactionHeader, Change) throws -> Void
    ) throws -> UInt64? {
        guard after < last else { return nil }
        let names = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
        let applied = try applied(of: writer, among: Set(names))
        var (position, gap) = (after, UInt64?.none)
        for name in names where name.last > position && name.first <= last {
            try step()
            guard applied.names.contains(name) || !applied.overlap(name), let (segment, file) = try open(name) else {
                continue
            }
            if name.first > position.addingSaturating(1) { gap = gap ?? position + 1 }
            let reader = SegmentReader(file, segment: segment, after: position)
            var transaction: TransactionHeader?
            while let batch = try reader.nextBatch(limit: 1_000) {
                for event in batch.events {
                    switch event {
                    case .begin(let header): transaction = header
                    case .changes(let changes):
                        guard let transaction, transaction.sequence > position, transaction.sequence <= last else {
                            continue
                        }
                        for change in changes { try body(transaction, change) }
                    case .rows, .end: break
                    }
                }
            }
            position = max(position, min(name.last, last))
        }
        return gap ?? (position < last ? position + 1 : nil)
    }

    /// The applied segments of a writer whose files are there.
    ///
    /// Another file with the same transactions may be forked.
    private struct Applied {
        var names: Set<SegmentName> = []
        var firsts: [UInt64] = []
        /// For each place, the greatest last transaction up to there.
        var greatest: [UInt64] = []

        /// O(log n).
        func overlap(_ name: SegmentName) -> Bool {
            var (low, high) = (0, firsts.count)
            while low < high {
                let middle = (low + high) / 2
                if firsts[middle] <= name.last { low = middle + 1 } else { high = middle }
            }
            return low > 0 && greatest[low - 1] >= name.first
        }
    }

    private func applied(of writer: UniqueID, among present: Set<SegmentName>) throws -> Applied {
        var applied = Applied()
        for record in try store.read({ try $0.writers.segments(writer: writer) }) where present.contains(record.name) {
            applied.names.insert(record.name)
            applied.firsts.append(record.first)
            applied.greatest.append(max(applied.greatest.last ?? 0, record.last))
        }
        return applied
    }

    /// Nil for a file that cannot be read, or that is not the segment that the store has applied or would apply.
    private func open(_ name: SegmentName) throws -> (VerifiedSegment, OpenFile)? {
        let (file, segment): (OpenFile, VerifiedSegment)
        do throws(SegmentError) {
            file = try logs.open(name)
            segment = try SegmentVerifier().verify(file, name: name)
        } catch {
            guard error.isOfContent else { throw error }
            return nil
        }
        let applied = try store.read { try $0.writers.segment(writer: name.writer, name.first, name.last) }
        if let applied { return applied.sha256 == segment.end.sha256 ? (segment, file) : nil }
        return try store.read { try trust.refusal(of: segment, $0) } == nil ? (segment, file) : nil
    }
}
