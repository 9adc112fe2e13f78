import TributaryChanges

/// The saves of one context, one or several, as one transaction of history, with one number and one clock.
///
/// The changes of the saves follow each other.
final class JoinedTransaction {
    private let transaction: WriteTransaction
    private let engine: MergeEngine
    private let own: UniqueID
    private var header: TransactionHeader
    private let lines: OutgoingLines

    init(_ transaction: WriteTransaction, author: String?, contextName: String?) throws {
        own = try transaction.writers().own
        header = try transaction.nextHeader(author: author)
        engine = try transaction.begin(writer: own, header: header, context: contextName, isLocal: true)
        lines = OutgoingLines(transaction.db)
        self.transaction = transaction
    }

    func add(_ local: LocalTransaction) throws {
        let explicit = try LocalChanges(reader: transaction.reader).explicit(local.changes)
        try engine.apply(explicit)
        try engine.uniqueness.decide(isLocal: true)
        try lines.append(explicit)
        let number = engine.cursor.revision
        if let idempotency = local.idempotency { try transaction.keep(idempotency, number: number) }
        if let conflict = local.restoredConflict {
            try ConflictTable(transaction.db).markRestored(conflict, by: number)
        }
    }

    /// The transaction with the changes of all saves so far.
    var committed: CommittedTransaction {
        CommittedTransaction(number: engine.cursor.revision, writer: own, header: header, engine: engine)
    }

    /// Writes history, position and the lines for export.
    func finish() throws -> CommittedTransaction {
        header.changeCount = lines.changeCount
        let committed = try transaction.endLocal(engine, header: &header)
        try transaction.keepForExport(header, basis: engine.tables.versions.met?.basis, lines: lines)
        return committed
    }
}
