import TransactionLog
import TributaryChanges
import TributaryStore

struct AppliedSegments {
    let logs: LogFolder
    let store: Store
    let trust: StoreTrust

    struct Transaction: Hashable, Sendable {
        var writer: UniqueID
        var sequence: UInt64
    }

    /// Whether no usable segment in the log folder contains a transaction; O(n) for the writer's segments.
    func lack(_ transaction: Transaction) throws -> Bool {
        let (writer, last) = (transaction.writer, transaction.sequence)
        return try forEachChange(of: writer, after: last - 1, through: last, step: {}) { _, _ in } != nil
    }

    /// Passes a writer's changes above `after`, up to `last`, to `body` in order; returns the first missing transaction.
    ///
    /// A segment is used if the store has applied exactly these bytes, or if it has no record of the segment and trusts it.
    func forEachChange(
        of writer: UniqueID,
        after: UInt64,
        through last: UInt64,
        includesOutbox: Bool = false,
        step: () throws -> Void,
        _ body: (TransactionHeader, Change) throws -> Void
    ) throws -> UInt64? {
        guard after < last else { return nil }
        let names = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
        let present = Set(names)
        var (position, gap) = (after, UInt64?.none)
        func fill(through end: UInt64) throws {
            guard position < end else { return }
            let missing = includesOutbox ? try readOutbox(of: writer, position + 1...end, step, body) : position + 1
            gap = gap ?? missing
        }
        for name in names where name.last > position && name.first <= last {
            try step()
            guard let (segment, file) = try open(name, among: present) else { continue }
            if name.first > position.addingSaturating(1) { try fill(through: name.first - 1) }
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
        try fill(through: last)
        return gap
    }

    private func readOutbox(
        of writer: UniqueID,
        _ range: ClosedRange<UInt64>,
        _ step: () throws -> Void,
        _ body: (TransactionHeader, Change) throws -> Void
    ) throws -> UInt64? {
        try store.read { reader in
            var (next, gap) = (range.lowerBound, UInt64?.none)
            while next <= range.upperBound,
                let run = try reader.outbox.run(of: writer, from: next, through: range.upperBound)
            {
                if run.lowerBound > next { gap = gap ?? next }
                var lines = ChangeLines(of: writer)
                let range = ExportRange(writer: writer, first: run.lowerBound, last: run.upperBound, header: "")
                try reader.outbox.forEachPiece(of: range) { piece, _ in
                    try step()
                    do {
                        try lines.read(piece, body)
                    } catch let error as JSONError {
                        throw StoreError.database(code: 11, message: "a line of the outbox: \(error.reason)")
                    }
                }
                next = run.upperBound + 1
            }
            return gap ?? (next <= range.upperBound ? next : nil)
        }
    }

    /// Nil for a segment that cannot be used; O(log n) for an applied segment of n transactions, otherwise O(n).
    private func open(_ name: SegmentName, among present: Set<SegmentName>) throws -> (VerifiedSegment, OpenFile)? {
        let (applied, isTaken) = try store.read { reader in
            let applied = try reader.writers.segment(writer: name.writer, name.first, name.last)
            // When two files contain the same transactions, the file that was not applied may be forked.
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
