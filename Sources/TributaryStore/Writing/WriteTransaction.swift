import GRDB
import TributaryChanges

/// One open write transaction.
///
/// Valid only inside the closure that it is given to. It takes local transactions (``commit(_:)``), transactions of
/// other writers (``beginImport(writer:header:)`` and on), export ranges and settings.
package final class WriteTransaction {
    /// Reads that see what this transaction has written so far.
    package let reader: Reader
    private(set) var applierInUse: Applier?
    private var writersInUse: WriterTable?
    /// Whether all that is committed becomes one transaction, and what it is so far.
    var isJoining = false
    var joined: JoinedTransaction?
    /// What the store refused of it.
    var joinFailure: (any Error)?
    /// The transaction of another writer that is being applied.
    var imported: (writer: UniqueID, header: TransactionHeader)?

    init(reader: Reader) {
        self.reader = reader
    }

    var db: Database { reader.database }

    func applier() throws -> Applier {
        if let applierInUse { return applierInUse }
        let made = try Applier(db, layout: reader.context.layout)
        made.blobs = reader.context.blobs
        applierInUse = made
        return made
    }

    func writers() throws -> WriterTable {
        if let writersInUse { return writersInUse }
        let made = try WriterTable(db)
        writersInUse = made
        return made
    }

    /// After a part was rolled back, what was remembered of the tables does not hold any more.
    func forget() {
        applierInUse = nil
        writersInUse = nil
        imported = nil
    }

    /// Gives the next number to a transaction and readies the applier for its changes.
    func begin(writer: UniqueID, header: TransactionHeader, context: String?, isStrict: Bool) throws -> Applier {
        let applier = try applier()
        // Local changes are worked out from what can be read.
        if isStrict { try applier.applyWaiting() }
        let position = try writers().position(of: writer)
        let insert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_transaction(writer, sequence, clock, author, context, committed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        )
        insert.bind(1, position.id)
        insert.bind(2, Int64(bitPattern: header.sequence))
        insert.bind(3, Int64(bitPattern: header.clock.rawValue))
        insert.bind(4, header.author)
        insert.bind(5, context)
        insert.bind(6, Double(reader.context.configuration.environment.wallMilliseconds()) / 1000)
        try insert.run()
        applier.begin(
            number: db.lastInsertedRowID,
            version: Version(clock: header.clock, writer: writer),
            writer: position.id,
            isStrict: isStrict
        )
        return applier
    }

    /// Ends what `begin` began: history and the writer's position go with the data.
    func end(_ applier: Applier, writer: UniqueID, header: TransactionHeader) throws -> CommittedTransaction {
        try applier.end()
        try writers().move(writer, to: header.sequence, clock: header.clock)
        return CommittedTransaction(
            number: applier.revision,
            writer: writer,
            header: header,
            applier: applier
        )
    }
}
