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

extension WriteTransaction {
    /// The writer of the store's next local transaction: a fresh one unless the token proves that nobody else goes on
    /// as the present one.
    func ownWriter() throws -> UniqueID {
        let writers = try writers()
        guard let token = reader.context.configuration.token else { return writers.own }
        guard try !token.take({ try writers.token() }) else { return writers.own }
        let fresh = token.fresh ?? reader.context.configuration.environment.newID()
        if writers.own != fresh { try renewOwn(as: fresh) }
        return fresh
    }

    /// Continues the store as a fresh writer, until the transaction ends.
    func renewOwn(as id: UniqueID) throws {
        reader.context.configuration.token?.fresh = id
        try writers().renewOwn(as: id, of: reader.setting(IdentityKeys.label).flatMap { UniqueID($0) } ?? id)
    }

    /// Notices that the file of a store that is opened is a copy, or older than it was.
    ///
    /// Numbers of history are given again then, so that its tokens get another name; and a copy of a store that goes on
    /// gets a label of its own. The next local transaction would be a fresh writer's in any case.
    func renewIfCopied() throws {
        let (context, recorded) = (reader.context, try StoreHome(reader))
        let home = context.configuration.environment.home(context.configuration.path)
        var (isCopy, isSetBack) = (false, false)
        if let recorded, let home {
            isCopy = recorded.isOriginal(of: home)
            isSetBack = !recorded.store.mark.mayBeSame(as: home.store.mark)
        }
        if let newest = context.configuration.token?.newest { isSetBack = try isSetBack || !reader.history.has(newest) }
        if let home, home != recorded { try home.record(self) }
        guard isCopy || isSetBack else { return }
        let environment = context.configuration.environment
        if isCopy { try setSetting(IdentityKeys.label, to: environment.newID().description) }
        _ = try context.configuration.token?.take { try writers().token() }
        try setSetting(IdentityKeys.history, to: environment.newID().description)
        try renewOwn(as: environment.newID())
    }
}
