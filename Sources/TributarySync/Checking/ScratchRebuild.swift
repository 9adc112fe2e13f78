import TransactionLog
import TributaryChanges
import TributaryStore

/// A store in the scratch folder of a check, into which segments are merged.
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
    func merge(
        _ segment: VerifiedSegment,
        _ bytes: some SegmentBytes,
        through last: UInt64
    ) throws {
        let writer = segment.name.writer
        let position = try store.read { try $0.writers.record(of: writer)?.sequence ?? 0 }
        let after = max(position, segment.name.first - 1)
        let reader = SegmentReader(bytes, segment: segment, after: after, makesRuns: true)
        try store.write { transaction in
            try transaction.letRowsWait()
            if after == 0 { try transaction.meet(writer, segment.header.incarnation) }
            while let batch = try reader.nextBatch(limit: 10_000) {
                for event in batch.events {
                    switch event {
                    case .begin(let header):
                        // Later transactions are in the file, but not in the state that is compared.
                        guard header.sequence <= last else { return }
                        try transaction.beginImport(writer: writer, header: header)
                    case .changes(let changes): try transaction.apply(changes)
                    case .rows(let run): try transaction.apply(run)
                    case .end: _ = try transaction.endImport()
                    }
                }
            }
        }
    }

    func digest(progress: (Int64) -> Void) throws -> String {
        try store.read { try $0.mergeState.digest(progress: progress).digest }
    }
}
