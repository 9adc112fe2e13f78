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
    /// - Throws: ``BaselineRebuild/Obstacle`` when the folder lacks something.
    func log<T: Sendable>(
        to vector: VersionVector,
        _ facts: CompactionFacts,
        _ body: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        var unusable: Set<BaselineName> = []
        while true {
            do {
                return try await log(to: vector, from: facts.knownBaselines.bases(of: vector, except: unusable), body)
            } catch let base as BaselineRebuild.UnusableBase where unusable.insert(base.name).inserted {
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
            try work.run(to: vector, from: bases)
            return try rebuild.store.read(body)
        }
    }
}

/// Builds the state at the vector of a baseline in a scratch store: from verified baselines, when there are any, and the
/// segments after them.
///
/// The segments must be those that the own store has applied. What it lacks is told as a reason.
struct BaselineRebuild {
    struct Obstacle: Error, CustomStringConvertible {
        /// Whether the log folder lacks something, and contradicts nothing.
        var isLack = false
        var description: String
    }

    /// A verified baseline with which the state cannot begin.
    struct UnusableBase: Error {
        var name: BaselineName
        var error: any Error
    }

    let rebuild: ScratchRebuild
    let logs: LogFolder
    let applied: (SegmentName) throws -> SegmentRecord?
    /// Called before each segment; throws to end the work.
    let step: (Int) throws -> Void

    func run(to vector: VersionVector, from bases: [KnownBaseline]) throws {
        let writers = vector.entries.keys.sorted()
        try rebuild.register(writers)
        for base in bases {
            do {
                try rebuild.join(base, logs: logs)
            } catch  where error is BaselineJoinError || (error as? SegmentError)?.isOfContent == true {
                throw UnusableBase(name: base.name, error: error)
            }
        }
        var count = 0
        for writer in writers {
            let names = try logs.fileNames(of: writer).compactMap { SegmentName(writer: writer, fileName: $0) }.sorted()
            let end = vector[writer]
            var position = bases.map { $0.vector[writer] }.max() ?? 0
            for name in names where name.first <= position.addingSaturating(1) && name.last > position && position < end
            {
                try step(count)
                position = min(name.last, end)
                try merge(name, through: position)
                count += 1
            }
            guard position >= end else {
                throw Obstacle(
                    isLack: true,
                    description:
                        "The log folder lacks the segments of writer \(writer) from transaction \(position + 1) "
                        + "to \(end), with which the state could be built."
                )
            }
        }
    }

    private func merge(_ name: SegmentName, through last: UInt64) throws {
        let file = try logs.open(name)
        let segment = try SegmentVerifier().verify(file, name: name)
        if let record = try applied(name), record.sha256 != segment.end.sha256 {
            throw Obstacle(description: "\(name.path) is not the segment that this store has applied.")
        }
        try rebuild.merge(segment, file, through: last)
        if last == name.last { try rebuild.record(segment) }
    }
}
