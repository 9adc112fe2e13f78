package import TributaryChanges

extension WriteTransaction {
    /// Gives the transactions that were never exported and have clocks after `greatest` lesser clocks, under a fresh
    /// writer.
    ///
    /// Throws ``RestampError`` and ``StoreError``; then commit nothing.
    package func restamp(after greatest: HybridClock) throws -> Restamped {
        try applyWaiting()
        forget()
        defer { forget() }
        return try Restamp(reader, after: greatest).run(self)
    }

    /// Gives what the present writer has never exported the names of a fresh writer; the clocks stay.
    ///
    /// Only the store's present writer can prove that nobody has published them. `range` will not be exported. Throws
    /// ``RestampError`` and ``StoreError``; then commit nothing.
    package func reissue(_ range: ExportRange) throws -> Restamped {
        try applyWaiting()
        forget()
        defer { forget() }
        guard try continues(as: range.writer) else { throw RestampError.unproven(writer: range.writer) }
        try giveUpExport(range)
        return try Restamp(reader, after: nil).run(self)
    }

    /// Continues the store as a fresh writer when a baseline claims more transactions of the present writer than the
    /// store has.
    ///
    /// The store must prove that nobody else continues as this writer. Then somebody else has written under the names
    /// of the next transactions, for example after a machine was set back together with its memory. Transactions that
    /// the store has never exported get the names of the fresh writer, as with ``reissue(_:)``. If they cannot, they
    /// keep their names.
    ///
    /// The published transactions contradict the baseline when their clock is not below the claimed clock, because the
    /// clocks of a writer rise with its sequences. ``joinBaseline(_:writers:transactionCount:next:)`` then keeps the
    /// store's totals of the former writer.
    ///
    /// - Returns: The change of the writer; nil if the store continues as before.
    /// - Throws: ``StoreError``; then commit nothing.
    package func leaveClaimedWriter(_ claims: [BaselineWriter]) throws -> Restamped? {
        let table = try writers()
        let own = table.own
        guard let claim = claims.first(where: { $0.id == own }),
            try claim.sequence > table.position(of: own).sequence, try continues(as: own)
        else { return nil }
        try applyWaiting()
        forget()
        defer { forget() }
        var left: Restamped
        do {
            left = try inSavepoint { try Restamp(reader, after: nil).run(self) }
        } catch is RestampError {
            let published = try writers().position(of: own).sequence
            let fresh = reader.context.configuration.environment.newID()
            try renewOwn(as: fresh)
            left = Restamped(former: own, new: fresh, published: published, count: 0)
        }
        if left.published > 0, try claim.clock <= writers().position(of: own).clock { contradictedWriter = own }
        return left
    }

    package func setState(_ state: WriterState?, of writer: UniqueID) throws {
        try writers().setState(state, of: writer)
    }

    /// The writer of the next local transaction.
    ///
    /// The store becomes a fresh writer in two cases: the token does not prove that no copy continues as the present
    /// writer, or the clock of the present writer is too far ahead.
    func ownWriter() throws -> UniqueID {
        let (writers, token) = (try writers(), reader.context.configuration.token)
        if let token, try !token.take({ try writers.token() }) {
            let fresh = token.fresh ?? reader.context.configuration.environment.newID()
            if writers.own != fresh { try renewOwn(as: fresh) }
        } else if try ClockLimit(reader).leaves(writers.position(of: writers.own).clock) {
            try renewOwn(as: reader.context.configuration.environment.newID())
        }
        return writers.own
    }

    /// Whether the store is this writer, and its token proves that nobody else continues as it.
    ///
    /// A clock that is ahead changes the writer of the next transaction, and proves nothing about the present writer.
    package func continues(as writer: UniqueID) throws -> Bool {
        let (writers, token) = (try writers(), reader.context.configuration.token)
        return try writers.own == writer && token?.take { try writers.token() } ?? true
    }

    func renewOwn(as id: UniqueID) throws {
        reader.context.configuration.token?.fresh = id
        try writers().renewOwn(as: id, of: reader.setting(IdentityKeys.label).flatMap { UniqueID($0) } ?? id)
    }

    /// Finds out, when a store is opened, whether its file is a copy or older than it was.
    ///
    /// Such a store gives numbers of history again, so its history tokens get another name; a copy of a store that
    /// still exists gets a label of its own. The next local transaction would get a fresh writer in any case.
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
