import TransactionLog
import TributaryChanges
import TributaryStore

/// Continues a store as another writer, without issuing again what the log folder has.
///
/// No export may be under way meanwhile.
struct WriterChange {
    let store: Store
    let logs: LogFolder

    /// Continues the store as another writer.
    ///
    /// - Throws: ``WriterMintError``, ``SegmentError`` when the folder cannot be read, and ``StoreError``.
    func mint(
        greatestClock: HybridClock? = nil,
        leavesFormerInUse: Bool = false,
        records: (WriteTransaction, MintedWriter) throws -> Void
    ) throws -> MintedWriter {
        let published = try store.read { try PublishedOutbox(in: logs, $0) }
        return try store.write { transaction in
            let mint = WriterMint(
                published: published.records,
                publishedThrough: published.last,
                lastSegment: published.joined.map { .compacted(hash: $0.hash) } ?? .recorded,
                greatestClock: greatestClock,
                leavesFormerInUse: leavesFormerInUse
            )
            let minted = try transaction.writerChanges.mintWriter(mint)
            try transaction.setSetting(StoreKeys.partial(minted.former), to: published.partial?.text)
            if let joined = published.joined {
                try transaction.setSetting(StoreKeys.joined(minted.former), to: joined.text)
            }
            try records(transaction, minted)
            return minted
        }
    }
}
