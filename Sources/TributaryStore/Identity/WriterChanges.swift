package import TributaryChanges

extension WriteTransaction {
    /// Gives unexported transactions with clocks after `greatest` lesser clocks; if it throws, commit nothing.
    package func restamp(after greatest: HybridClock) throws -> Restamped {
        try applyWaiting()
        forget()
        defer { forget() }
        return try Restamp(reader, after: greatest).run(self)
    }

    /// Renames the present writer's unexported transactions; `range` will not be exported; if it throws, commit nothing.
    package func reissue(_ range: ExportRange) throws -> Restamped {
        try applyWaiting()
        forget()
        defer { forget() }
        guard try continues(as: range.writer) else { throw RestampError.unproven(writer: range.writer) }
        try giveUpExport(range)
        return try Restamp(reader, after: nil).run(self)
    }

    /// Continues as a fresh writer if a baseline claims more transactions of the present writer than the store has.
    ///
    /// Another store has then used this writer's next names, for example after a machine was set back together with its
    /// memory. Unexported transactions get the fresh writer's names if possible. The published transactions contradict the
    /// baseline if their clock is not below the claimed clock, because a writer's clocks rise with its sequences; the store
    /// then keeps its own totals of the former writer. If it throws, commit nothing.
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

    /// A fresh writer if a copy may continue as the present writer, or if the present writer's clock is too far ahead.
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

    /// Whether the store is this writer, and its token proves that no other store continues as it.
    package func continues(as writer: UniqueID) throws -> Bool {
        let (writers, token) = (try writers(), reader.context.configuration.token)
        return try writers.own == writer && token?.take { try writers.token() } ?? true
    }

    func renewOwn(as id: UniqueID) throws {
        reader.context.configuration.token?.fresh = id
        try writers().renewOwn(as: id, of: reader.setting(IdentityKeys.label).flatMap { UniqueID($0) } ?? id)
    }

    /// Call this when a store is opened: a copy or an older file reuses history numbers, so its tokens get another name.
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
