package import TributaryChanges

/// Changes of what a store knows about writers: who it is itself, and what an administrator has decided about another.
///
/// Valid only inside the closure that the write transaction is given to.
package struct WriterChanges {
    let transaction: WriteTransaction

    /// Continues the store as another writer.
    ///
    /// The former writer keeps what it has published. Its other transactions become the first ones of the new writer, and
    /// the versions of all that they wrote with them. Numbers of history and answers to repeated requests stay.
    package func mintWriter(_ mint: WriterMint = WriterMint()) throws -> MintedWriter {
        try transaction.applyWaiting()
        transaction.forget()
        defer { transaction.forget() }
        for record in mint.published { try transaction.recordSegment(record, name: nil) }
        transaction.forget()
        let context = transaction.reader.context
        let minted = try WriterMinting(transaction.db, context: context, mint).run()
        var formers = try FormerWriters(transaction.reader)
        let now = context.configuration.environment.wallTime()
        formers.add(minted.former, at: mint.leavesFormerInUse ? .epoch : now)
        try formers.record(transaction)
        return minted
    }

    /// Sets the clocks of a writer aside that are greater: only local changes that overwrite what it has written get
    /// clocks that exceed them.
    package func setClocksAside(after greatest: HybridClock, of writer: UniqueID) throws {
        try WriterTable.setAside(after: greatest, of: writer, transaction.db)
    }

    /// Records what is decided about another writer, which becomes known when it is not.
    package func setState(_ state: WriterState?, of writer: UniqueID) throws {
        // The decision replaces the mark of a former writer, which an earlier program has not listed.
        let formers = try FormerWriters(transaction.reader)
        if formers.all.contains(writer) { try formers.record(transaction) }
        let row = try transaction.writers().position(of: writer).id
        let update = try BoundStatement(
            transaction.db,
            "UPDATE tributary_writer SET state = ?2 WHERE id = ?1 AND is_self = 0"
        )
        update.bind(1, row)
        update.bind(2, state?.rawValue)
        try update.run()
    }
}
