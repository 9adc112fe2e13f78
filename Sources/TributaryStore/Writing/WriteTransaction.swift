import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// One open write transaction.
///
/// Valid only inside the closure that it is given to. It takes local transactions (``commit(_:)``), transactions of
/// other writers (``beginImport(writer:header:)`` and on), export ranges and settings.
package final class WriteTransaction {
    /// Reads that see what this transaction has written so far.
    package let reader: Reader
    private(set) var engineInUse: MergeEngine?
    private var writersInUse: WriterTable?
    /// Whether all committed saves become one transaction; `joined` is that transaction so far.
    var isJoining = false
    var joined: JoinedTransaction?
    /// Whether these saves are slices of one that is too long to be kept in memory.
    var isLong = false
    /// The error of a save that the store refused.
    var joinFailure: (any Error)?
    var imported: (writer: UniqueID, header: TransactionHeader)?
    /// Whether it is decided which of the objects that share unique keys are visible.
    private let decidesShadows: Bool

    package init(reader: Reader, decidesShadows: Bool = true) {
        self.reader = reader
        self.decidesShadows = decidesShadows
    }

    var db: Database { reader.database }

    /// Changes to many objects at once.
    package var batches: BatchWriter { BatchWriter(transaction: self) }

    /// Changes of what the store knows about writers, itself included.
    package var writerChanges: WriterChanges { WriterChanges(transaction: self) }

    func engine() throws -> MergeEngine {
        if let engineInUse { return engineInUse }
        let made = try MergeEngine(db, layout: reader.context.layout, blobs: reader.context.blobs)
        made.uniqueness.isSuspended = !decidesShadows
        engineInUse = made
        return made
    }

    func writers() throws -> WriterTable {
        if let writersInUse { return writersInUse }
        let made = try WriterTable(db)
        writersInUse = made
        return made
    }

    /// Clears the cached state of the tables; called after a part of the transaction was rolled back.
    func forget() {
        engineInUse = nil
        writersInUse = nil
        imported = nil
    }

    /// Gives the next number to a transaction and begins to merge its changes.
    ///
    /// - Parameters:
    ///   - writer: Its writer.
    ///   - header: Its header.
    ///   - context: The name of the context that has saved it.
    ///   - isLocal: Whether it is a local transaction.
    /// - Returns: The engine that merges its changes.
    /// - Throws: ``StoreError`` when the store cannot be written.
    func begin(
        writer: UniqueID,
        header: TransactionHeader,
        context: String?,
        isLocal: Bool
    ) throws -> MergeEngine {
        let engine = try engine()
        // Local changes depend on what can be read.
        if isLocal { try engine.flush() }
        let position = try writers().position(of: writer)
        let now = reader.context.configuration.environment.wallTime()
        let number = try TransactionTable(db).insert(header, writer: position.id, context: context, at: now)
        engine.tables.versions.met =
            isLocal ? MetVersions(transaction: number, own: position.id) : nil
        engine.begin(
            number: number,
            version: Version(clock: header.clock, writer: writer),
            origin: WriteOrigin(writer: position.id, sequence: header.sequence),
            isLocal: isLocal
        )
        return engine
    }

    /// Ends the transaction that `begin` began; writes its history and the writer's position with the data.
    ///
    /// - Parameters:
    ///   - engine: The engine that has merged it.
    ///   - writer: Its writer.
    ///   - header: Its header.
    /// - Returns: The transaction.
    /// - Throws: ``StoreError`` when the store cannot be written.
    func end(_ engine: MergeEngine, writer: UniqueID, header: TransactionHeader) throws -> CommittedTransaction {
        try engine.end()
        return try finish(engine, writer: writer, header: header)
    }

    /// Ends a local transaction, which gets its final clock.
    ///
    /// - Parameters:
    ///   - engine: The engine that has merged it.
    ///   - header: Its header, with a clock that is greater than every applied one.
    /// - Returns: The transaction.
    /// - Throws: ``StoreError`` when the store cannot be written.
    func endLocal(_ engine: MergeEngine, header: inout TransactionHeader) throws -> CommittedTransaction {
        try engine.end()
        try LocalClock(transaction: self, engine: engine).settle(&header)
        return try finish(engine, writer: writers().own, header: header)
    }

    private func finish(
        _ engine: MergeEngine,
        writer: UniqueID,
        header: TransactionHeader
    ) throws -> CommittedTransaction {
        #if MUTATIONS
            if Mutation.isOn(.positionCommittedApart), !engine.cursor.isLocal {
                try db.execute(sql: "COMMIT; BEGIN IMMEDIATE")
            }
        #endif
        try writers().move(writer, to: header.sequence, clock: header.clock)
        return CommittedTransaction(
            number: engine.cursor.revision,
            writer: writer,
            history: engine.cursor.isLocal ? try reader.history.name() : nil,
            header: header,
            engine: engine
        )
    }
}

extension WriteTransaction {
    /// Commits a local transaction.
    ///
    /// The function draws clock and sequence, applies the changes with the merge rules, and writes history and the
    /// lines for export.
    ///
    /// - Throws: ``StoreError`` `duplicateID`, `sharesKey` and `invalidChange`; nothing is written then, and another
    ///   transaction may be committed.
    package func commit(_ local: LocalTransaction) throws -> CommittedTransaction {
        if isJoining { return try join(local) }
        return try inSavepoint {
            let joined = try JoinedTransaction(self, author: local.author, contextName: local.contextName)
            try joined.add(local)
            return try joined.finish()
        }
    }

    /// Runs a block of which nothing is written when it throws; another transaction may be committed then.
    func inSavepoint<Result>(_ block: () throws -> Result) throws -> Result {
        try BoundStatement(db, "SAVEPOINT tributary_commit").run()
        do {
            let result = try block()
            try BoundStatement(db, "RELEASE tributary_commit").run()
            return result
        } catch {
            forget()
            if db.isInsideTransaction {
                try? db.execute(sql: "ROLLBACK TO tributary_commit; RELEASE tributary_commit")
            }
            throw error
        }
    }

    /// Returns the header of the store's next local transaction, without changes; its writer may be a fresh one.
    ///
    /// The clock is greater than every applied one, also those that are set aside; ``LocalClock`` makes it less where
    /// that is right. The sequences in the header count as announced from now on.
    func nextHeader(author: String?) throws -> TransactionHeader {
        let own = try ownWriter()
        let writers = try writers()
        return TransactionHeader(
            sequence: try writers.nextSequence(of: own),
            clock: try writers.lastClock(withAside: true).next(at: reader.context.configuration.environment.wallTime()),
            author: author,
            seen: try writers.announceSeen(),
            changeCount: 0
        )
    }

    /// Adds the local transaction that has just been merged to the outbox.
    func keepForExport(_ header: TransactionHeader, lines: OutgoingLines) throws {
        let writers = try writers()
        try lines.finish(header, writer: writers.position(of: writers.own).id)
    }

    func keep(_ answer: LocalTransaction.Idempotency, number: Int64) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_answer(key, number, detail, committed_at) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bind(1, answer.key)
        insert.bind(2, number)
        insert.bind(3, answer.detail)
        insert.bind(4, reader.context.configuration.environment.wallTime().unixSeconds)
        try insert.run()
    }
}

/// Holds the function that SQLite calls while it works.
private final class Progress {
    let step: () -> Void

    init(_ step: @escaping () -> Void) { self.step = step }
}

extension WriteTransaction {
    /// Instructions of SQLite's virtual machine between two calls; SQLite counts them for each statement separately.
    package static let instructionsBetweenSteps: Int32 = 1_000

    /// Calls `step` repeatedly while the statements of `block` run, however much work one change causes.
    ///
    /// With `instructions` of 1, SQLite calls `step` for each instruction.
    package func reportingProgress<T>(
        every instructions: Int32 = instructionsBetweenSteps,
        _ step: @escaping () -> Void,
        _ block: () throws -> T
    ) rethrows -> T {
        let progress = Progress(step)
        sqlite3_progress_handler(
            db.sqliteConnection,
            instructions,
            { context in
                guard let context else { return 0 }
                Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().step()
                return 0
            },
            Unmanaged.passUnretained(progress).toOpaque()
        )
        defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(progress, block)
    }
}
