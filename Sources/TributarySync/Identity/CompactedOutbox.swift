import TransactionLog
import TributaryChanges
import TributaryStore

/// The local transactions that a verified baseline has, although the store has no record of their segments, which may be
/// removed.
///
/// A baseline does not have the transactions themselves, but the writes that still count, each with the sequence and the
/// clock of its transaction. One that the store has too, with an equal sequence, clock and content, proves that the
/// transaction is published, and all before it. What comes after the last such transaction is not decided: it counts as
/// unpublished, so that nothing is lost.
struct CompactedOutbox {
    /// The last local transaction that a baseline has, with the hash of its segment if the baseline ends there.
    private(set) var end = JoinedPosition(sequence: 0, hash: nil)

    /// Compares the outbox with the verified baselines of the log folder.
    ///
    /// One pass over the names in the log folder and the first lines of baselines; up to three over the bytes of each
    /// verified baseline that has later transactions of the store's own writer, and over the outbox.
    ///
    /// - Parameters:
    ///   - published: the last transaction that segments show to be published.
    ///   - logs: the log folder.
    ///   - reader: reads the store.
    /// - Throws: ``SegmentError`` when the system cannot read the folder, and ``StoreError``.
    init(after published: UInt64, in logs: LogFolder, _ reader: Reader) throws {
        let own = try reader.writers.own()
        let clocks = try reader.outbox.clocks(after: published)
        guard published < own.sequence, UInt64(clocks.count) == own.sequence - published else { return }
        let names = try LogListing(path: logs.path).baselines
        let shelf = BaselineShelf(proofs: try BaselineProofs.load(reader)).reading(names, in: logs)
        guard shelf.baselines.values.contains(where: { $0.vector[own.id] > published }) else { return }
        // Segments of a forked writer past its fork are not removed, so that they tell what is published.
        let verified = try shelf.provingAll(in: logs).verified.filter {
            $0.vector[own.id] > published && $0.forks[own.id] == nil
        }
        var hashes: Set<String> = []
        for baseline in verified where hashes.insert(baseline.sha256).inserted && end.sequence < own.sequence {
            var traces = TransactionTraces(first: published + 1, clocks: clocks)
            guard try CompactedOutbox.add(baseline, of: own.id, to: &traces, logs, reader),
                let last = traces.published, last > end.sequence
            else { continue }
            let hash = last == baseline.vector[own.id] ? baseline.hashes[own.id] : nil
            end = JoinedPosition(sequence: last, hash: hash)
        }
    }

    /// Adds what a baseline shows of a writer.
    ///
    /// - Parameters:
    ///   - baseline: the baseline.
    ///   - writer: the writer.
    ///   - traces: what is found.
    ///   - logs: the log folder.
    ///   - reader: reads the store.
    /// - Returns: false when the file is not the baseline any more.
    /// - Throws: ``SegmentError`` when the system cannot read the file, and ``StoreError``.
    private static func add(
        _ baseline: KnownBaseline,
        of writer: UniqueID,
        to traces: inout TransactionTraces,
        _ logs: LogFolder,
        _ reader: Reader
    ) throws -> Bool {
        do {
            let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
            let verified = try VerifiedBaseline.verify(file)
            guard verified.end.sha256 == baseline.sha256 else { return false }
            var comparison = TraceComparison(of: writer, traces, reader.outbox)
            for line in verified.writers where line.id == writer {
                comparison.traces.add(line.sequence, line.clock, isEqual: nil)
            }
            let lines = BaselineReader(file, verified)
            while let entry = try lines.next() { try comparison.add(entry) }
            comparison.end()
            traces = comparison.traces
            return true
        } catch let error as SegmentError where error.isOfContent {
            return false
        }
    }
}
