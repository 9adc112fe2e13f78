import TransactionLog
import TributaryChanges
import TributaryStore

/// A stage of the import: applies verified segments in one SQLite transaction.
///
/// For one loop only.
struct Importer {
    private let environment: SyncEnvironment
    private let queue: SerialQueue
    private let control: ImportControl
    private let paused = PausedReader()

    /// Blocking reads of the log folder are done on `queue`.
    init(environment: SyncEnvironment, queue: SerialQueue, control: ImportControl) {
        self.environment = environment
        self.queue = queue
        self.control = control
    }

    /// Applies segments as far as one SQLite transaction goes.
    ///
    /// - Parameters:
    ///   - items: the segments, each writer's in sequence.
    ///   - configuration: the settings.
    ///   - positions: how far each writer is.
    ///   - abandoned: writers whose missing transactions nobody waits for.
    /// - Returns: How far each segment and each writer came.
    /// - Throws: ``SegmentFailure`` when a segment is not what was verified; what the store throws.
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

    /// The items with what the store remembers of those that are applied in part.
    private func addingPartials(to items: [ImportBatch.Item]) throws -> [ImportBatch.Item] {
        let partials = try SyncRecords(store: environment.store).partials(of: Set(items.map(\.name.writer)))
        return items.map { item in
            var item = item
            item.partial = partials[item.name.writer].flatMap { $0.name == item.name ? $0 : nil }
            return item
        }
    }
}
