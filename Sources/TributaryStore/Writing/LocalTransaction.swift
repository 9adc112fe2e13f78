import GRDB
package import TributaryChanges

/// The changes of a context's save in the form of the log, in order.
package struct LocalTransaction: Sendable {
    package var author: String?
    package var contextName: String?
    package var changes: [Change]
    /// The idempotency key, stored with the transaction so that a repeated request gets the first result.
    package var idempotency: Idempotency?
    /// The number of the conflict whose losing value the changes restore; the journal records the restoration.
    package var restoredConflict: Int64?

    package init(
        author: String? = nil,
        contextName: String? = nil,
        changes: [Change],
        idempotency: Idempotency? = nil,
        restoredConflict: Int64? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.changes = changes
        self.idempotency = idempotency
        self.restoredConflict = restoredConflict
    }

    package struct Idempotency: Sendable {
        package var key: String
        /// The part of the result that a repeated response needs besides the transaction's number.
        package var detail: String

        package init(key: String, detail: String) {
            self.key = key
            self.detail = detail
        }
    }
}

/// Gives a local transaction its clock.
///
/// The clock is greater than every applied one. Clocks that are too far ahead, and that an administrator has accepted,
/// are set aside: a transaction needs a greater clock only when it overwrites or outranks what they have written, which
/// is known only after the merge. So the transaction is merged with a clock greater than all, and then gets the least
/// clock with which every comparison of its versions has the same result.
struct LocalClock {
    let transaction: WriteTransaction
    let engine: MergeEngine

    /// Sets the final clock, after the changes are merged.
    ///
    /// Where clocks are set aside, it reads the ranks of all one-to-one owners that show nothing.
    func settle(_ header: inout TransactionHeader) throws {
        guard let met = engine.tables.versions.met else { return }
        let wall = transaction.reader.context.configuration.environment.wallTime()
        let least = max(try transaction.writers().lastClock(), met.greatest).next(at: wall)
        guard least < header.clock else { return }
        header.clock = least
        try TransactionTable(transaction.db).setClock(least, of: met.transaction)
        try UnresolvedReferenceTable.forgetRanks(transaction.db)
        engine.tables.versions.insert(
            Version(clock: least, writer: try transaction.writers().own),
            origin: WriteOrigin(writer: met.own, sequence: header.sequence),
            of: met.transaction
        )
    }
}
