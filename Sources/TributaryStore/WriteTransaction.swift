package import TributaryChanges

/// One open write transaction. Valid only inside the closure that it is given to.
package final class WriteTransaction {
    /// Reads that see what this transaction has written so far.
    package let reader: Reader

    init(reader: Reader) {
        self.reader = reader
    }

    // MARK: Local changes

    /// Draws clock and sequence, applies the changes with the merge rules, writes history and the lines for export.
    ///
    /// - Throws: ``StoreError`` `duplicateID` and `invalidChange`; nothing is written then.
    package func commit(_ local: LocalTransaction) throws -> CommittedTransaction { fatalError("stub") }

    // MARK: Import

    /// Begins a transaction of another writer. Its changes follow in slices, then `endImport()`.
    package func beginImport(writer: UniqueID, header: TransactionHeader) throws { fatalError("stub") }
    package func apply(_ changes: [Change]) throws { fatalError("stub") }
    package func endImport() throws -> CommittedTransaction { fatalError("stub") }

    /// Remembers a segment whose transactions have all been applied; `name` is the writer's as its header tells it.
    package func recordSegment(_ record: SegmentRecord, name: String?) throws { fatalError("stub") }

    // MARK: Export

    /// Remembers a range before its file is put in place.
    package func beginExport(_ range: ExportRange) throws { fatalError("stub") }
    /// The file is in place.
    package func finishExport(first: UInt64, sha256: String) throws { fatalError("stub") }

    // MARK: Settings

    /// Sets, or with nil removes, a value of the store's own.
    package func setSetting(_ key: String, to value: String?) throws { fatalError("stub") }
    /// Removes history and idempotency answers committed before the given Unix seconds.
    package func purgeHistory(committedBefore seconds: Double) throws { fatalError("stub") }
}
