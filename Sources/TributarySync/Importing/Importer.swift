import TransactionLog
import TributaryChanges
import TributaryStore

/// A stage of the import: applies verified segments in one SQLite transaction.
///
/// Only one loop may use it.
struct Importer {
    private let environment: SyncEnvironment
    private let queue: SerialQueue
    private let control: ImportControl
    private let paused = PausedReader()

    /// Creates an importer that runs blocking reads of the log folder on `queue`.
    init(environment: SyncEnvironment, queue: SerialQueue, control: ImportControl) {
        self.environment = environment
        self.queue = queue
        self.control = control
    }

    /// Applies as many segments as fit into one SQLite transaction.
    ///
    /// - Parameters:
    ///   - items: the segments, each writer's in sequence.
    ///   - configuration: the settings.
    ///   - positions: the position of each writer.
    ///   - abandoned: writers whose missing transactions are not waited for.
    /// - Returns: The progress of each segment and each writer.
    /// - Throws: ``SegmentFailure`` when a segment is not the one that was verified; what the store throws.
    func apply(
        _ items: [ImportBatch.Item],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition],
        abandoned: Set<UniqueID>
    ) async throws -> ImportBatch.Outcome {
        guard !items.isEmpty else { return ImportBatch.Outcome() }
        let batch = ImportBatch(
            logs: try LogFolder(path: configuration.logs),
            paused: paused,
            items: try addingPartials(to: items),
            positions: positions.mapValues(\.sequence),
            own: environment.own,
            abandoned: abandoned,
            sliceChanges: configuration.sliceChanges,
            wall: environment.wall,
            control: control
        )
        let prefetched = try await queue.run { try PrefetchedSegments.read(batch) }
        return try await environment.replica.importTransactions { try batch.apply($0, prefetched: prefetched) }
    }

    /// Adds the store's records of partly applied segments to the items.
    private func addingPartials(to items: [ImportBatch.Item]) throws -> [ImportBatch.Item] {
        let partials = try SyncRecords(store: environment.store).partials(of: Set(items.map(\.name.writer)))
        return items.map { item in
            var item = item
            item.partial = partials[item.name.writer].flatMap { $0.name == item.name ? $0 : nil }
            return item
        }
    }
}
