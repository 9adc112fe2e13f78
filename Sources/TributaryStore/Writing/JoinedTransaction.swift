import TributaryChanges

/// The saves of one context as one transaction of history, with one number and one clock.
///
/// The changes of the saves follow each other.
final class JoinedTransaction {
    private let transaction: WriteTransaction
    private let engine: MergeEngine
    private let own: UniqueID
    private var header: TransactionHeader
    private var changes: [Change] = []

    init(_ transaction: WriteTransaction, author: String?, contextName: String?) throws {
        own = try transaction.writers().own
        header = try transaction.nextHeader(author: author)
        engine = try transaction.begin(writer: own, header: header, context: contextName, isLocal: true)
        self.transaction = transaction
    }

    /// - Returns: The transaction with the changes of all saves so far.
    func add(_ local: LocalTransaction) throws -> CommittedTransaction {
        let explicit = try LocalChanges(reader: transaction.reader).explicit(local.changes)
        try engine.apply(explicit)
        try engine.uniqueness.decide(isLocal: true)
        changes += explicit
        return CommittedTransaction(number: engine.cursor.number, writer: own, header: header, engine: engine)
    }

    /// Writes history, position and the lines for export.
    func finish() throws -> CommittedTransaction {
        header.changeCount = changes.count
        let committed = try transaction.endLocal(engine, header: &header)
        let lines = LogTransaction(header: header, changes: changes)
        try transaction.keepForExport(header, basis: engine.tables.versions.met?.basis, lines: lines.forEachPiece)
        return committed
    }
}
