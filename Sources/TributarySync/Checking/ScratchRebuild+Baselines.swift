import TransactionLog
import TributaryChanges
import TributaryStore

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
        let verified = try BaselineShelf.demandWhole(baseline, in: logs)
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

    /// Records a merged segment, from whose end the next one follows.
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
