import GRDB
package import TributaryChanges

/// Reads of one state of the store.
///
/// Valid only inside the closure that it is given to.
package struct Reader {
    let database: Database
    let context: StoreContext

    // MARK: Positions and history

    /// The number of the newest transaction.
    package func newestTransaction() throws -> Int64 {
        let statement = try SQLStatement("SELECT max(number) FROM tributary_transaction", in: database)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// All writers, the store's own included.
    package func writers() throws -> [WriterRecord] { fatalError("stub") }
    package func writer(_ id: UniqueID) throws -> WriterRecord? { fatalError("stub") }
    /// The store's own writer.
    package func ownWriter() throws -> WriterRecord { fatalError("stub") }

    /// The applied or exported segment that begins with this sequence.
    package func segment(writer: UniqueID, first: UInt64) throws -> SegmentRecord? { fatalError("stub") }
    /// Applied segments of a writer, in order of `first`.
    package func segments(writer: UniqueID) throws -> [SegmentRecord] { fatalError("stub") }

    /// History with numbers greater than `number`, at most `limit` transactions.
    package func history(after number: Int64, limit: Int) throws -> [HistoryTransaction] { fatalError("stub") }
    /// The least number that `history(after:)` may be asked with; below it the history has been purged.
    package func oldestHistory() throws -> Int64 { fatalError("stub") }

    /// The union of what transactions after `number` up to `through` changed.
    package func changes(after number: Int64, through: Int64, limit: Int) throws -> ObjectChanges {
        fatalError("stub")
    }

    /// The number and the detail that were stored under an idempotency key.
    package func idempotent(key: String) throws -> (number: Int64, detail: String)? { fatalError("stub") }

    // MARK: Export

    /// Export ranges whose file is not yet known to be in place, oldest first.
    package func unfinishedExports() throws -> [ExportRange] { fatalError("stub") }
    /// The last sequence in any export range, 0 when there is none.
    package func lastExported() throws -> UInt64 { fatalError("stub") }
    /// Local transactions from `first` on, oldest first, each handed to `body` until it answers false.
    package func localTransactions(
        from first: UInt64,
        _ body: (ExportableTransaction) throws -> Bool
    ) throws { fatalError("stub") }

    // MARK: State

    package func setting(_ key: String) throws -> String? { fatalError("stub") }
    package func digest() throws -> StoreDigest { fatalError("stub") }
    /// The visible objects and the merge state behind them as text in canonical order, for comparing whole stores.
    package func dump() throws -> String { fatalError("stub") }
}
