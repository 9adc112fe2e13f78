import TransactionLog
import TributaryChanges
import TributaryStore

/// Gives a state at the vector of a baseline: the store's own one, or what the log folder gives.
struct BaselineSource: Sendable {
    let store: Store
    let open: StoreCheck.Opening
    let queue: SerialQueue
    let cutter: BaselineCutter

    /// Nil when the store has gone on since the facts were read.
    func state<T: Sendable>(
        _ facts: CompactionFacts,
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T? {
        // The state that a baseline has, or that endorses one, must outlast a power failure of this store, as that in
        // segments must.
        let path = store.configuration.path
        try await queue.run { try StoreSync(path: path).run() }
        return try await store.readAside { reader in
            let now = try CompactionFacts(
                reader,
                modelHash: facts.modelHash,
                knownBaselines: KnownBaselines(),
                keep: .zero,
                wall: .epoch
            )
            // The store may have gone on since; then the name or the vector would be another one.
            guard now.own == facts.own, now.vector == facts.vector else { return nil }
            return try body(reader)
        }
    }

    /// Begins with the verified baselines.
    ///
    /// - Throws: ``ScratchRebuild/Obstacle`` when the folder lacks something.
    func log<T: Sendable>(
        to vector: VersionVector,
        _ facts: CompactionFacts,
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        var unusable: Set<BaselineName> = []
        while true {
            do {
                return try await log(to: vector, from: facts.knownBaselines.bases(of: vector, except: unusable), body)
            } catch let base as ScratchRebuild.UnusableBase where unusable.insert(base.name).inserted {
                // Another one, or the segments, may do.
                continue
            }
        }
    }

    private func log<T: Sendable>(
        to vector: VersionVector,
        from bases: [KnownBaseline],
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        let scratch = try ScratchFolder(.compaction, besideStore: store.configuration.path)
        defer { scratch.remove() }
        try scratch.demandRoom(forCopyOf: store.configuration.path)
        let configuration = try store.scratchConfiguration(in: scratch)
        let (store, open, cutter) = (store, open, cutter)
        return try await queue.run {
            let rebuild = ScratchRebuild(store: try open(configuration))
            try rebuild.build(to: vector, from: bases, cutter.logs, like: store) { count in
                if cutter.cancellation.isCancelled { throw CancellationError() }
                cutter.progress(Int64(count))
            }
            return try rebuild.store.read(body)
        }
    }
}
