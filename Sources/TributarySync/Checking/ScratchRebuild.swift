import TransactionLog
import TributaryChanges
import TributaryStore

/// A store in a scratch folder into which segments are merged, to compare it with the live store.
///
/// It merges one writer after the other and ignores their `seen`, because the merge state does not depend on the order.
final class ScratchRebuild {
    let store: Store

    init(store: Store) {
        self.store = store
    }

    deinit { try? store.close() }

    func merge(_ segment: VerifiedSegment, _ bytes: some SegmentBytes, through last: UInt64) throws {
        let position = try store.read { try $0.writers.record(of: segment.name.writer)?.sequence ?? 0 }
        let after = max(position, segment.name.first - 1)
        let reader = SegmentReader(bytes, segment: segment, after: after, makesRuns: true)
        try store.write { transaction in
            try transaction.letRowsWait()
            // The file may contain later transactions that the compared state lacks.
            while let batch = try reader.nextBatch(limit: 10_000),
                try transaction.merge(batch, of: segment, admits: { $0.sequence <= last })
            {}
        }
    }

    func digest(progress: (Int64) -> Void) throws -> String {
        try store.read { try $0.mergeState.digest(progress: progress).digest }
    }

    func join(_ baseline: KnownBaseline, logs: LogFolder) throws {
        // Nobody waits for the lock of a scratch store, so a slow share may take its time.
        let control = ImportControl(patience: .seconds(86_400))
        let work = BaselineImport(baseline: baseline, logs: logs, control: control)
        let verified = try KnownBaselines.demandWhole(baseline, in: logs)
        try store.write { _ = try work.join(verified, $0) }
    }
}
