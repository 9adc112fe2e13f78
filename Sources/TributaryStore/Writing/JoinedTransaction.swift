import TributaryChanges

/// The saves of one context as one transaction of history: same number, same clock, changes one after another.
final class JoinedTransaction {
    private let transaction: WriteTransaction
    private let applier: Applier
    private let own: UniqueID
    private var header: TransactionHeader
    private var changes: [Change] = []

    /// Draws number, clock and sequence.
    init(_ transaction: WriteTransaction, author: String?, contextName: String?) throws {
        let writers = try transaction.writers()
        own = writers.own
        header = TransactionHeader(
            sequence: try writers.nextSequence(of: own),
            clock: try writers.lastClock().next(
                wallMilliseconds: transaction.reader.context.configuration.environment.wallMilliseconds()
            ),
            author: author,
            seen: try writers.takeSeen(),
            changeCount: 0
        )
        applier = try transaction.begin(writer: own, header: header, context: contextName, isStrict: true)
        self.transaction = transaction
    }

    /// Applies one save; what is returned names all changes so far.
    func add(_ local: LocalTransaction) throws -> CommittedTransaction {
        let explicit = try LocalChanges(reader: transaction.reader).explicit(local.changes)
        try applier.apply(explicit)
        changes += explicit
        return CommittedTransaction(number: applier.number, writer: own, header: header, applier: applier)
    }

    /// Writes history, position and the lines for export.
    func finish() throws -> CommittedTransaction {
        header.changeCount = changes.count
        let committed = try transaction.end(applier, writer: own, header: header)
        try transaction.keepLines(LogTransaction(header: header, changes: changes))
        return committed
    }
}
