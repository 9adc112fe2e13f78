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

extension ScratchRebuild {
    /// Makes writers known, so that what they have seen of each other is kept in any order.
    ///
    /// - Throws: ``StoreError``.
    func register(_ writers: [UniqueID]) throws {
        try store.write { try WriterRegistration($0).register(writers) }
    }

    /// Begins with a baseline, whose bytes are verified first.
    ///
    /// - Throws: ``SegmentError`` when it is not the expected one, or a large value is missing;
    ///   ``BaselineJoinError``, ``StoreError``.
    func join(_ baseline: KnownBaseline, logs: LogFolder) throws {
        let verified = try KnownBaselines.demandWhole(baseline, in: logs)
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let blobs = BaselineBlobs(logs: logs, writers: verified.writers.map(\.id))
        let reader = BaselineReader(file, verified)
        try store.write { transaction in
            try transaction.setBlobSource { sha256, size, receive in
                let writer = try blobs.holder(of: sha256, size: size)
                try BlobReader(logs: logs, writer: writer).read(sha256, size: size, receive)
            }
            _ = try transaction.joinBaseline(
                verified.header,
                writers: verified.writers,
                transactionCount: verified.end.counts.transactions
            ) { try reader.next() }
        }
    }

    func record(_ segment: VerifiedSegment) throws {
        let record = SegmentRecord(
            writer: segment.name.writer,
            first: segment.name.first,
            last: segment.name.last,
            sha256: segment.end.sha256
        )
        try store.write { _ = try $0.recordSegment(record, name: nil) }
    }
}
