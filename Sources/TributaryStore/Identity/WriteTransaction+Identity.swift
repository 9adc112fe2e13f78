import TributaryChanges

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
    func noticeCopy() throws {
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
