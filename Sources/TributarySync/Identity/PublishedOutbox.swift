import TransactionLog
import TributaryChanges
import TributaryStore

/// The local transactions that the log folder has, although the store has no record of their segments.
///
/// Such segments come from an export that was interrupted, or that happened after the store was copied. Their transactions
/// must not be issued again under another writer: others would apply them twice.
struct PublishedOutbox {
    private(set) var records: [SegmentRecord] = []
    /// The segment after them of which only the first transactions are local ones.
    private(set) var partial: PartialRecord?
    /// The last transaction that a verified baseline has, when its segment is gone; nil when there is none.
    private(set) var joined: JoinedPosition?
    /// The last transaction of all these, or of the segments that the store has a record of; 0 for none.
    private(set) var last: UInt64

    /// Compares the outbox with the segments of the store's own writer in the folder, and with the verified baselines.
    ///
    /// One pass over the names of the writer's files, and over the bytes of the transactions that are compared; baselines
    /// cost what ``CompactedOutbox`` says.
    init(in logs: LogFolder, _ reader: Reader) throws {
        let own = try reader.writers.own()
        last = try reader.writers.segment(writer: own.id, beginningBy: own.sequence)?.last ?? 0
        let names = try logs.fileNames(of: own.id).compactMap { SegmentName(writer: own.id, fileName: $0) }
        let byFirst = Dictionary(grouping: names, by: \.first)
        try follow(byFirst, of: own, logs, reader)
        // A segment of which only the first transactions are local ones has all of them, or is that of another copy.
        guard partial == nil, last < own.sequence else { return }
        let compacted = try CompactedOutbox(after: last, in: logs, reader).end
        guard compacted.sequence > last else { return }
        joined = compacted
        last = compacted.sequence
        try follow(byFirst, of: own, logs, reader)
    }

    /// Compares the outbox after the last published transaction with the segments that follow it.
    private mutating func follow(
        _ byFirst: [UInt64: [SegmentName]],
        of own: WriterRecord,
        _ logs: LogFolder,
        _ reader: Reader
    ) throws {
        while last < own.sequence, let candidates = byFirst[last + 1] {
            var best: (segment: VerifiedSegment, through: UInt64)?
            for name in candidates.sorted() {
                guard let found = try PublishedOutbox.compare(name, logs, reader), found.through > best?.through ?? last
                else { continue }
                best = found
            }
            guard let (segment, through) = best else { return }
            let (name, sha256) = (segment.name, segment.end.sha256)
            last = through
            guard through == name.last else {
                partial = PartialRecord(name: name, sha256: sha256, deferred: 0)
                return
            }
            records.append(SegmentRecord(writer: own.id, first: name.first, last: name.last, sha256: sha256))
        }
    }

    /// Compares a segment with the outbox.
    ///
    /// - Returns: The segment with its last transaction up to which the two are equal; nil when it is not valid.
    private static func compare(
        _ name: SegmentName,
        _ logs: LogFolder,
        _ reader: Reader
    ) throws -> (segment: VerifiedSegment, through: UInt64)? {
        let file: OpenFile
        let segment: VerifiedSegment
        do throws(SegmentError) {
            file = try logs.open(name)
            segment = try SegmentVerifier().verify(file, name: name)
        } catch {
            guard error.isOfContent else { throw error }
            return nil
        }
        var comparison = TransactionComparison(file, segment)
        var through = name.first - 1
        try reader.outbox.localTransactions(from: name.first) { transaction in
            guard transaction.sequence == through + 1, try comparison.passes(transaction.lines) else { return false }
            through = transaction.sequence
            return through < name.last
        }
        return (segment, through)
    }
}
