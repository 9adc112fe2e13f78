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
        let present = Set(names)
        var (position, gap) = (after, UInt64?.none)
        for name in names where name.last > position && name.first <= last {
            try step()
            guard let (segment, file) = try open(name, among: present) else { continue }
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

    /// Nil for a file that cannot be read, or that is not the segment that the store has applied or would apply.
    ///
    /// O(log n) for an applied segment of n; O(n) for another one.
    private func open(_ name: SegmentName, among present: Set<SegmentName>) throws -> (VerifiedSegment, OpenFile)? {
        let (applied, isTaken) = try store.read { reader in
            let applied = try reader.writers.segment(writer: name.writer, name.first, name.last)
            // Of two files with the same transactions, the one that was not applied may be forked.
            let isTaken =
                try applied == nil
                && reader.writers.segments(writer: name.writer, overlapping: name.first, name.last)
                    .contains { present.contains($0.name) }
            return (applied, isTaken)
        }
        guard !isTaken else { return nil }
        let (file, segment): (OpenFile, VerifiedSegment)
        do throws(SegmentError) {
            file = try logs.open(name)
            segment = try SegmentVerifier().verify(file, name: name)
        } catch {
            guard error.isOfContent else { throw error }
            return nil
        }
        if let applied { return applied.sha256 == segment.end.sha256 ? (segment, file) : nil }
        return try store.read { try trust.refusal(of: segment, $0) } == nil ? (segment, file) : nil
    }
}
