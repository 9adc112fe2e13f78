package import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// One SQLite transaction of the import: log transactions of verified segments, in the order of `seen`.
struct ImportBatch: Sendable {
    struct Item: Sendable {
        var name: SegmentName
        var segment: VerifiedSegment
        var partial: PartialRecord?
    }

    struct Outcome: Sendable {
        var positions: [UniqueID: UInt64] = [:]
        /// The name of each writer that has moved, as its segment has it.
        var names: [UniqueID: String?] = [:]
        var partials: [UniqueID: PartialRecord] = [:]
        var finished: [SegmentName] = []
        var unmet: [SegmentName: SegmentSummary.UnmetDependencies] = [:]
        var counts = ImportCounts()
        var deferred = 0
        var began = ContinuousClock.now
    }

    /// The duration after which a batch ends with its current slice, however few changes were applied: saves wait for
    /// it.
    static let duration = Duration.seconds(2)
    /// How many times more changes than those of a slice a batch may have while nobody waits for the write lock.
    static let sliceLimit = 5

    /// The number of segments up to which a batch keeps the pages that the former one has left in memory.
    static let cachedItems = 100

    var readers: SegmentReaders
    /// The segments; those of each writer are in sequence.
    let items: [Item]
    var positions: [UniqueID: UInt64]
    let abandoned: Set<UniqueID>
    let wall: WallTime
    /// The number of changes with which the batch ends, if that is more than a slice.
    var changeLimit = 0
    /// Whether somebody waits for the write lock, so that the batch ends with its current slice.
    var isAwaited: @Sendable () -> Bool = { false }
    /// The time at which the batch ends with its current slice, set when it is applied.
    var end = ContinuousClock.now
    /// Whether a slice has ended that applied everything that was read of its segment before the write lock was taken.
    var isReadUp = false
    var outcome = Outcome()
    var committed: [CommittedTransaction] = []

    /// A copy of the batch, with the beginnings of its segments in memory.
    func prefetched() throws -> ImportBatch {
        var batch = self
        try batch.readers.prefetch(items, positions: positions, changes: changeLimit)
        return batch
    }

    /// Applies the segments that were read before the write lock was taken, and reads the rest.
    func apply(_ transaction: WriteTransaction) throws -> (Outcome, [CommittedTransaction]) {
        var batch = self
        batch.outcome.began = .now
        batch.end = batch.outcome.began + ImportBatch.duration
        try transaction.reportingProgress(readers.control.step) { try batch.run(transaction) }
        return (batch.outcome, batch.committed)
    }
}

struct PartialRecord {
    var name: SegmentName
    var sha256: String
    var deferred: Int

    var text: String { "\(name.fileName) \(sha256) \(deferred)" }

    var partial: WriterPosition.Partial { WriterPosition.Partial(bounds: name.bounds, sha256: sha256) }
}

extension PartialRecord {
    init?(_ text: String, writer: UniqueID) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let name = SegmentName(writer: writer, fileName: parts[0]), let deferred = Int(parts[2])
        else { return nil }
        self.init(name: name, sha256: String(parts[1]), deferred: deferred)
    }
}

/// The error of a segment that could not be read while it was being applied; nothing of its batch was committed.
package struct SegmentFailure: Error, Sendable {
    package var name: SegmentName
    package var error: SegmentError
}

extension SegmentFailure: CustomStringConvertible {
    package var description: String { error.description }
}
