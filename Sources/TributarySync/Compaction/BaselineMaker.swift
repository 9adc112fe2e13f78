import TransactionLog
import TributaryChanges
import TributaryStore

/// Makes baselines of this store's own writer: of its state, or of what the log folder has.
struct BaselineMaker: Sendable {
    let store: Store
    /// Opens the scratch store in which a state is built from the log folder.
    let open: StoreCheck.Opening
    let queue: SerialQueue
    let cutter: BaselineCutter

    /// Publishes the state of the store, in one read of it.
    ///
    /// - Parameters:
    ///   - name: The name of the baseline.
    ///   - facts: What was decided from.
    /// - Returns: The end line; nil when the store has gone on since.
    /// - Throws: What ``BaselineCutter`` throws.
    func publishState(_ name: BaselineName, _ facts: CompactionFacts) async throws -> BaselineEnd? {
        // The state in the baseline must outlast a power failure of this store, as that in segments must.
        let (path, cutter) = (store.configuration.path, cutter)
        try await queue.run { try StoreSync(path: path).run() }
        let (model, vector) = (facts.modelHash, facts.vector)
        return try await store.readAside { reader in
            let now = try CompactionFacts(
                reader,
                modelHash: model,
                shelf: BaselineShelf(),
                keep: .zero,
                wall: .epoch
            )
            // The store may have gone on since; then the name or the vector would be another one.
            guard now.owners.contains(name.writer), now.vector == vector else { return nil }
            return try cutter.publish(name, reader)
        }
    }

    /// Publishes the state that the segments of the log folder give, after a verified baseline where there is one.
    ///
    /// - Returns: The end line.
    /// - Throws: ``BaselineRebuild/Obstacle`` when the folder lacks something; what ``BaselineCutter`` throws.
    func publishLog(
        _ name: BaselineName,
        to vector: VersionVector,
        _ facts: CompactionFacts
    ) async throws -> BaselineEnd {
        let base = facts.shelf.verified.first { $0.modelHash == facts.modelHash && vector.covers($0.vector) }
        let scratch = try ScratchFolder(.compaction, besideStore: store.configuration.path)
        defer { scratch.remove() }
        try scratch.demandRoom(forCopyOf: store.configuration.path)
        let configuration = try store.scratchConfiguration(in: scratch)
        let (store, open, cutter) = (store, open, cutter)
        return try await queue.run {
            let rebuild = ScratchRebuild(store: try open(configuration))
            let work = BaselineRebuild(
                rebuild: rebuild,
                logs: cutter.logs,
                applied: { name in try store.read { try $0.writers.segment(writer: name.writer, name.first, name.last) }
                },
                step: { count in
                    if cutter.cancellation.isCancelled { throw CancellationError() }
                    cutter.progress(Int64(count))
                }
            )
            try work.run(to: vector, from: base)
            return try rebuild.store.read { try cutter.publish(name, $0) }
        }
    }
}
