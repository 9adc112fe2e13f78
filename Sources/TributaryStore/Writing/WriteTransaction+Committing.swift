import GRDB
import TributaryChanges
import TributaryModel

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
