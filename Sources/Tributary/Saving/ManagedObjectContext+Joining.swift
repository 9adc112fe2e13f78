import TributaryStore

extension ManagedObjectContext {
    /// Holds the writer's turn while `body` runs, and makes one transaction of all saves of this context in it.
    ///
    /// Nobody else writes meanwhile; the context reads its own saves. There is one transaction in the store and in the
    /// history, and others are told once, when `body` has ended. When it throws nothing is committed, and the context has
    /// the changes that it had saved in `body` as unsaved ones again. Edits that `body` did not save stay unsaved.
    ///
    /// ```swift
    /// try await background.perform { context in
    ///     try context.performInOneTransaction {
    ///         for part in parts {
    ///             try context.load(part)
    ///             try context.save()
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: what `body` throws, or ``ContextError`` when the store refuses the commit or the context is a child.
    public func performInOneTransaction<T>(_ body: () throws -> T) throws -> T {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard let store = source as? StoreSource else {
            throw ContextError.store(reason: "a child's saves go to its parent: hold the turn on the parent")
        }
        guard store.transaction == nil else { return try body() }
        return try withoutActuallyEscaping(body) { body in try join(store, body) }
    }

    private func join<T>(_ store: StoreSource, _ body: @escaping () throws -> T) throws -> T {
        var result: T?
        var newest: Int64 = 0
        let write = { (transaction: WriteTransaction) throws -> CommittedTransaction in
            newest = try transaction.reader.newestTransaction()
            transaction.joinCommits()
            store.transaction = transaction
            defer {
                store.transaction = nil
                transaction.abandonJoined()
            }
            result = try body()
            self.processPendingChanges()
            guard let committed = try transaction.finishJoined() else { throw NothingSaved() }
            return committed
        }
        do {
            try commit(write)
            store.mementos = []
        } catch let error {
            let isDone = error is NothingSaved
            let mementos = store.mementos
            store.mementos = []
            if !isDone { for memento in mementos.reversed() { restore(memento) } }
            forgetRows(newerThan: generation?.number ?? newest)
            processPendingChanges()
            if !isDone { throw (error as? StoreError).map { ContextError($0) } ?? error }
        }
        guard let result else { throw ContextError.closed }
        return result
    }

    /// One commit, announced as that of any save.
    private func commit(_ write: @escaping (WriteTransaction) throws -> CommittedTransaction) throws {
        if isMain {
            try commitMain(write) { _ in }
        } else if let generation {
            try commitPinned(at: generation, write) { _ in }
        } else {
            _ = try home.pipeline.commit(write)
        }
    }

    private struct NothingSaved: Error {}

    /// Notes how things stand before a save takes its objects for clean.
    func remember(_ plan: SavePlan) {
        guard let store = source as? StoreSource else { return }
        store.mementos.append(
            SaveMemento(
                entries: plan.outcomes.map { SaveMemento.Entry($0.object) },
                delta: pending.delta,
                lostConflicts: pending.lostConflicts,
                lastSaveToken: lastSaveToken
            )
        )
    }

    // MARK: Putting back

    private func restore(_ memento: SaveMemento) {
        for entry in memento.entries where entry.object.state != .detached { restore(entry) }
        pending.restore(memento.delta, memento.lostConflicts)
        lastSaveToken = memento.lastSaveToken
        passCount &+= 1
    }

    /// Puts what was edited since on top of what the save took.
    private func restore(_ entry: SaveMemento.Entry) {
        let object = entry.object
        let (edited, now) = (object.changed, object.values)
        object.row = entry.row
        object.values = entry.values
        object.changed = entry.changed
        for slot in edited.slots where now.indices.contains(slot) && object.values.indices.contains(slot) {
            object.values[slot] = now[slot]
            object.changed.insert(slot)
        }
        if entry.isUnsaved { object.makeExtras().isUnsaved = true }
        pending.move(object, on: .restore(entry.state))
        noteChange { $0.noteUpdated(object.objectID) }
    }

    /// Forgets what was read of a state that never was, or that the context does not show yet.
    private func forgetRows(newerThan number: Int64) {
        for object in registry.objects {
            object.extras?.related = [:]
            if object.state == .clean, let row = object.row, row.revision > number { object.turnIntoFault() }
        }
    }
}
