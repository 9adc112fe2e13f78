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

package struct CommittedTransaction: Sendable {
    /// The number of the transaction in the store, which counts local and imported ones.
    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    /// The name that tokens of history carry; nil for an imported transaction.
    package var history: String?
    package var changeCount: Int
    package var deferredCount: Int
    private let applied: AppliedTransaction
    /// Kept because the changes of a local transaction are requested more than once.
    private let known: ObjectChanges?

    init(number: Int64, writer: UniqueID, history: String? = nil, header: TransactionHeader, engine: MergeEngine) {
        self.number = number
        self.writer = writer
        self.history = history
        sequence = header.sequence
        changeCount = engine.cursor.changeCount
        deferredCount = engine.cursor.deferredCount
        applied = engine.effects.current
        known = engine.cursor.isLocal ? TransactionEffects.changes(of: [engine.effects.current.effects]) : nil
    }

    /// The effects of an imported transaction are collected at each call.
    package var changes: ObjectChanges { known ?? TransactionEffects.changes(of: [applied.effects]) }

    /// The combined effects of transactions that were committed together, in order.
    package static func changes(of transactions: [CommittedTransaction]) -> ObjectChanges {
        TransactionEffects.changes(of: transactions.map(\.applied.effects))
    }
}

/// Gives a local transaction its clock.
///
/// The clock is greater than every applied one. Clocks that are too far ahead, and that an administrator has accepted,
/// are set aside: a transaction needs a greater clock only when it overwrites or outranks what they have written, which
/// is known only after the merge. So the transaction is merged with a clock greater than all, and then gets the least
/// clock with which every comparison of its versions has the same result. Batches compare nothing and keep the greater
/// clock.
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
        // Ranks contain clocks; a rank that is NULL is computed again when it is needed.
        try transaction.db.execute(sql: "UPDATE tributary_reference SET rank = NULL WHERE rank IS NOT NULL")
        engine.tables.versions.insert(
            Version(clock: least, writer: try transaction.writers().own),
            origin: WriteOrigin(writer: met.own, sequence: header.sequence),
            of: met.transaction
        )
    }
}
