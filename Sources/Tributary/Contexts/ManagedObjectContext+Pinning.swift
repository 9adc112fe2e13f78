import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    /// Whether the context reads one unchanging generation of the store.
    ///
    /// The view context always does.
    public var isPinned: Bool { generation != nil }

    /// Reads one generation of the store from now on, the newest, whatever others save meanwhile.
    ///
    /// Objects in use are brought there. Faults, fetches, counts and relationships all read it. A save of the context
    /// moves it to the save's own transaction, merging all that came before; calling this again moves it to the newest.
    /// While it is held the write-ahead log of the store grows: hold it for the length of a piece of work.
    ///
    /// - Throws: ``ContextError`` when the store is closed, or the context is a child, which follows its parent, or the
    ///   view context, which moves by merging.
    public func pin() throws(ContextError) {
        checkConfinement()
        guard source.isStore, !isMain else {
            throw ContextError.store(reason: "only a background context without a parent is pinned by hand")
        }
        do {
            try pinNewest()
        } catch {
            throw ContextError(error)
        }
    }

    /// Moves to the newest generation.
    ///
    /// - Returns: What was merged on the way.
    @discardableResult
    func pinNewest() throws -> ObjectChanges {
        let old = generation
        let pinned = try store.move(from: old, connections: 1)
        let from = old?.number ?? mergedThrough
        let changes = withThoseThatCameAndWent(
            try pinned.read { try $0.allChanges(after: from, through: pinned.number) },
            since: from
        )
        mergedThrough = pinned.number
        merge(changes, movingTo: pinned)
        return changes
    }

    /// Reads what is newest again, and brings the objects in use there.
    ///
    /// - Throws: ``ContextError`` for the view context.
    public func unpin() throws(ContextError) {
        checkConfinement()
        guard source.isStore, !isMain else {
            throw ContextError.store(reason: "only a background context without a parent is pinned by hand")
        }
        guard let generation else { return }
        mergedThrough = max(mergedThrough, generation.number)
        self.generation = nil
        mergeNewest()
        processPendingChanges()
    }

    /// The save of a pinned context: writes on the newest state, then moves to its own transaction and merges what came
    /// before it.
    func commitPinned(
        at old: Generation,
        _ body: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws {
        let (committed, pinned) = try home.pipeline.commit(movingFrom: old, body)
        // What the save has done is told over the rows of after it; a hook that is told may save again.
        generation = pinned
        mergedThrough = old.number
        adopt(committed)
        // When the generation is lost the save stands, and what is newest is read from now on.
        guard let pinned else { return mergeNewest() }
        let changes = try pinned.read { try $0.allChanges(after: old.number, through: committed.number - 1) }
        mergedThrough = max(mergedThrough, pinned.number)
        merge(changes, movingTo: pinned)
    }
}

extension Reader {
    /// What changed; everything, when the history of it has been purged.
    func allChanges(
        after number: Int64,
        through: Int64,
        limit: Int = ObjectChanges.defaultLimit
    ) throws -> ObjectChanges {
        guard number < (try oldestHistory()) else {
            return try changes(after: number, through: through, limit: limit)
        }
        var everything = ObjectChanges()
        everything.collapseEverything()
        return everything
    }
}
