import TransactionLog
import TributaryChanges
import TributaryStore

/// The content of one SQLite transaction of the import: log transactions of verified segments, in the order of `seen`.
struct ImportBatch: Sendable {
    struct Item: Sendable {
        var name: SegmentName
        var segment: VerifiedSegment
        var partial: PartialRecord?
    }

    struct Outcome: Sendable {
        /// The new position of each writer that has moved.
        var positions: [UniqueID: UInt64] = [:]
        var partials: [UniqueID: PartialRecord] = [:]
        var finished: [SegmentName] = []
        var unmet: [SegmentName: SegmentOutline.UnmetDependencies] = [:]
        var counts = ImportCounts()
        var deferred = 0
    }

    let logs: LogFolder
    /// The reader of the segment that the preceding batch left unfinished.
    var paused = PausedReader()
    /// The segments; those of each writer are in sequence.
    let items: [Item]
    let positions: [UniqueID: UInt64]
    let own: UniqueID
    let abandoned: Set<UniqueID>
    let sliceChanges: Int
    let wall: UInt64
    let control: ImportControl

    /// Applies the segments that were read before the write lock was taken, and reads the rest.
    ///
    /// - Throws: ``SegmentFailure``, and what the store throws.
    func apply(
        _ transaction: WriteTransaction,
        prefetched: PrefetchedSegments? = nil
    ) throws -> (Outcome, [CommittedTransaction]) {
        var applier = BatchApplier(batch: self, transaction: transaction, prefetched: prefetched)
        try transaction.reportingProgress(control.step) { try applier.run() }
        return (applier.outcome, applier.committed)
    }
}
