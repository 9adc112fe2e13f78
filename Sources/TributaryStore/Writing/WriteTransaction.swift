import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// Valid only inside the closure that receives it.
package final class WriteTransaction {
    package let reader: Reader
    private(set) var engineInUse: MergeEngine?
    private var writersInUse: WriterTable?
    var isJoining = false
    var joined: JoinedTransaction?
    var isLong = false
    var joinFailure: (any Error)?
    var imported: (writer: UniqueID, header: TransactionHeader)?
    var contradictedWriter: UniqueID?
    private let decidesShadows: Bool

    package init(reader: Reader, decidesShadows: Bool = true) {
        self.reader = reader
        self.decidesShadows = decidesShadows
    }

    var db: Database { reader.database }

    package var batches: BatchWriter { BatchWriter(transaction: self) }

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

    /// Call after a part of the transaction was rolled back.
    func forget() {
        engineInUse = nil
        writersInUse = nil
        imported = nil
    }

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

    func end(_ engine: MergeEngine, writer: UniqueID, header: TransactionHeader) throws -> CommittedTransaction {
        try engine.end()
        return try finish(engine, writer: writer, header: header)
    }

    /// The clock in `header` is provisional: greater than every applied clock.
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
    /// Writes nothing if it throws; another transaction may then be committed.
    package func commit(_ local: LocalTransaction) throws -> CommittedTransaction {
        if isJoining { return try join(local) }
        return try inSavepoint {
            let joined = try JoinedTransaction(self, author: local.author, contextName: local.contextName)
            try joined.add(local)
            return try joined.finish()
        }
    }

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

    /// Marks the acknowledged sequences as announced; ``LocalClock`` may lower the clock later.
    func nextHeader(author: String?) throws -> TransactionHeader {
        let own = try ownWriter()
        let writers = try writers()
        return TransactionHeader(
            sequence: try writers.nextSequence(of: own),
            clock: try writers.lastClock().next(at: reader.context.configuration.environment.wallTime()),
            author: author,
            seen: try writers.announceSeen(),
            changeCount: 0
        )
    }

    func keepForExport(_ header: TransactionHeader, lines: OutgoingLines) throws {
        let writers = try writers()
        try lines.finish(header, writer: writers.position(of: writers.own).id)
    }
}

extension WriteTransaction {
    /// SQLite counts instructions for each statement separately.
    package static let instructionsBetweenSteps: Int32 = 1_000

    /// Calls `step` repeatedly, however much work one change causes.
    package func reportingProgress<T>(
        every instructions: Int32 = instructionsBetweenSteps,
        _ step: @escaping () -> Void,
        _ block: () throws -> T
    ) rethrows -> T {
        try db.handlingProgress(
            every: instructions,
            {
                step()
                return false
            },
            block
        )
    }
}
