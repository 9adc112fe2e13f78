package import TributaryChanges

/// Changes of what a store knows about writers: who it is itself, and what an administrator has decided about another.
///
/// Valid only inside the closure that the write transaction is given to.
package struct WriterChanges {
    let transaction: WriteTransaction

    /// Gives the transactions that were never exported new clocks, under a fresh writer.
    ///
    /// - Parameter greatest: The greatest clock that a transaction keeps; later ones get new clocks.
    /// - Returns: The fresh writer, and what was restamped.
    /// - Throws: ``RestampError``, and ``StoreError``; nothing may be committed then.
    package func restamp(after greatest: HybridClock) throws -> Restamped {
        try transaction.applyWaiting()
        transaction.forget()
        defer { transaction.forget() }
        return try Restamp(transaction.reader, after: greatest).run(transaction)
    }

    /// Sets the clocks of a writer aside that are greater: only local changes that overwrite what it has written get
    /// clocks that exceed them.
    package func setClocksAside(after greatest: HybridClock, of writer: UniqueID) throws {
        try WriterTable.setAside(after: greatest, of: writer, transaction.db)
    }

    /// Records what is decided about another writer, which becomes known when it is not.
    package func setState(_ state: WriterState?, of writer: UniqueID) throws {
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
