import TransactionLog
import TributaryChanges
import TributaryStore

/// One SQLite transaction's worth of importing: whole log transactions of some verified segments, in an order that
/// keeps every `seen`.
struct ImportBatch: Sendable {
    struct Item: Sendable {
        var name: SegmentName
        var segment: VerifiedSegment
        var partial: PartialRecord?
    }

    struct Outcome: Sendable {
        /// Where each writer that moved is now.
        var positions: [UniqueID: UInt64] = [:]
        var partials: [UniqueID: PartialRecord] = [:]
        var finished: [SegmentName] = []
        var unmet: [SegmentName: SegmentOutline.UnmetDependencies] = [:]
        var counts = ImportCounts()
        var deferred = 0
    }

    let logs: LogFolder
    /// The reader of the segment that the batch before left in the middle.
    var paused = PausedReader()
    /// Each writer's in sequence.
    let items: [Item]
    let positions: [UniqueID: UInt64]
    let own: UniqueID
    let abandoned: Set<UniqueID>
    let sliceChanges: Int
    let wall: UInt64
    let control: ImportControl

    /// Applies what has been read before the write lock was taken, and reads what did not fit.
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
