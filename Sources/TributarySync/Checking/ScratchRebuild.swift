import TransactionLog
import TributaryChanges
import TributaryStore

/// A store in a scratch folder, into which segments are merged: to compare it with the live store, or to make a baseline.
///
/// It merges the transactions of one writer after those of another, whatever they have seen: the merge state does not
/// depend on the order. A rebuild begins with an empty store, or with a baseline, whose position each writer then has.
final class ScratchRebuild {
    let store: Store

    init(store: Store) {
        self.store = store
    }

    deinit { try? store.close() }

    /// Merges the transactions of a verified segment that the store has not, up to `last`.
    ///
    /// - Throws: ``SegmentError`` when the bytes are not the verified ones; ``StoreError``.
    func merge(_ segment: VerifiedSegment, _ bytes: some SegmentBytes, through last: UInt64) throws {
        let position = try store.read { try $0.writers.record(of: segment.name.writer)?.sequence ?? 0 }
        let after = max(position, segment.name.first - 1)
        let reader = SegmentReader(bytes, segment: segment, after: after, makesRuns: true)
        try store.write { transaction in
            try transaction.letRowsWait()
            // Later transactions may be in the file, but not in the state that is compared.
            while let batch = try reader.nextBatch(limit: 10_000),
                try transaction.merge(batch, of: segment, admits: { $0.sequence <= last })
            {}
        }
    }

    func digest(progress: (Int64) -> Void) throws -> String {
        try store.read { try $0.mergeState.digest(progress: progress).digest }
    }

    /// Begins with a baseline, whose bytes are verified first.
    ///
    /// - Throws: ``SegmentError`` when it is not the expected one, or a large value is missing;
    ///   ``BaselineJoinError``, ``StoreError``.
    func join(_ baseline: KnownBaseline, logs: LogFolder) throws {
        // Nobody waits for the lock of a scratch store, so a slow share may take its time.
        let control = ImportControl(patience: .seconds(86_400))
        let work = BaselineImport(baseline: baseline, logs: logs, control: control)
        let verified = try KnownBaselines.demandWhole(baseline, in: logs)
        try store.write { _ = try work.join(verified, $0) }
    }

    /// Builds the state at the vector of a baseline: from verified baselines, when there are any, and the segments after
    /// them.
    ///
    /// `step` is called before each segment, and throws to end the work.
    ///
    /// - Throws: ``Obstacle`` when the log folder lacks a segment, or has another one than `store` has applied;
    ///   ``UnusableBase``, ``SegmentError``, ``StoreError``.
    func build(
        to vector: VersionVector,
        from bases: [KnownBaseline],
        _ logs: LogFolder,
        like store: Store,
        trusting trust: StoreTrust,
        step: (Int) throws -> Void
    ) throws {
        let writers = vector.entries.keys.sorted()
        // What writers have seen of each other is kept in any order when all of them are known.
        try self.store.write { try $0.register(writers) }
        for base in bases {
            do {
                try join(base, logs: logs)
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
                count += 1
                let last = min(name.last, end)
                if try merge(name, through: last, logs, like: store, trusting: trust) { position = last }
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

    /// Merges a segment that the store has applied, or that it would apply; false for another one, and for one whose key is
    /// missing.
    private func merge(
        _ name: SegmentName,
        through last: UInt64,
        _ logs: LogFolder,
        like store: Store,
        trusting trust: StoreTrust
    ) throws -> Bool {
        guard let file = try ScratchRebuild.open(name, logs) else { return false }
        let segment = try SegmentVerifier().verify(file, name: name)
        let applied = try store.read { try $0.writers.segment(writer: name.writer, name.first, name.last) }
        if let applied, applied.sha256 != segment.end.sha256 {
            throw Obstacle(description: "\(name.path) is not the segment that this store has applied.")
        }
        if applied == nil, trust.mode == .known {
            let author = try trust.author(name.writer, claiming: segment.header.incarnation.store, in: store)
            guard try trust.refusal(of: segment, by: author, pins: false, in: store) == nil else { return false }
        }
        try merge(segment, file, through: last)
        guard last == name.last else { return true }
        let (first, sha256) = (name.first, segment.end.sha256)
        let record = SegmentRecord(writer: name.writer, first: first, last: last, sha256: sha256)
        try self.store.write { _ = try $0.recordSegment(record, name: nil) }
        return true
    }

    /// Nil when the key of the segment is missing.
    private static func open(_ name: SegmentName, _ logs: LogFolder) throws(SegmentError) -> OpenFile? {
        do throws(SegmentError) {
            return try logs.open(name)
        } catch {
            guard error.kind == .locked else { throw error }
            return nil
        }
    }

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
}
