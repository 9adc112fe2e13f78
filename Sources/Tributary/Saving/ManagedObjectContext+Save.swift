import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Validates, checks for conflicts, writes everything in one transaction, and announces it.
    ///
    /// All or nothing.
    ///
    /// The calling thread waits for its turn to write. Without changes nothing is written.
    ///
    /// - Throws: ``ValidationError`` with every failing property, also of objects that were gone and of derived attributes
    ///   when somebody set them since the last save; ``ConflictError`` under the policy `error`, or ``ContextError``; the
    ///   context keeps its changes then.
    public func save() throws {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        if let error = pendingReadError {
            pendingReadError = nil
            throw error
        }
        if pending.count > 0 { observers.notifyOfSaveStart(self) }
        try settle()
        guard pending.needsSave || request?.idempotency != nil else { return }
        try validate()
        do {
            try source.save(self)
        } catch let error as StoreError {
            throw ContextError(error)
        }
    }

    /// Calls `willSave` and follows the delete rules until nothing changes any more.
    private func settle() throws {
        processChanges()
        for _ in 0..<ManagedObjectContext.maximumRounds {
            let before = pending.editCount
            for object in pending.objects + linkedOwners { object.willSave() }
            processChanges()
            if pending.editCount == before { return }
        }
        throw ContextError.unsettled(rounds: ManagedObjectContext.maximumRounds)
    }

    /// Writes to the store; as a part of the source's transaction when it has one.
    func commit(to store: StoreSource) throws {
        guard !store.isPlanning else { throw ContextError.saveInProgress(by: label) }
        let transaction = store.transaction
        var plan = SavePlan()
        let body = { (transaction: WriteTransaction) throws -> CommittedTransaction in
            plan = try store.planning { try self.write(transaction) }
            return try self.commit(&plan, transaction)
        }
        do {
            if let transaction {
                let committed = try body(transaction)
                remember(plan)
                adopt(plan, committed)
            } else if isMain {
                try commitMain(body) { self.adopt(plan, $0) }
            } else if let generation {
                try commitPinned(at: generation, body) { self.adopt(plan, $0) }
            } else {
                // First the commit: it makes the plan.
                let committed = try home.pipeline.commit(body)
                adopt(plan, committed)
            }
        } catch is NothingToWrite {
            if transaction != nil { remember(plan) }
            adopt(plan, nil)
            // What made a change of no use is newer than what a generation shows.
            if transaction == nil, plan.hasLost { try showNewest() }
        }
    }

    /// The view context's save moves it to the generation with the save.
    func commitMain(
        _ body: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        // The view context never leaves the main actor, where this runs, so nothing crosses here.
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) let adopt = adopt
        let pipeline = home.pipeline
        try home.viewContextUse.holding {
            try MainActor.assumeIsolated { _ = try pipeline.commitMain(body, adopting: adopt) }
        }
    }

    /// What messages call the context.
    var label: String { isMain ? home.viewContextUse.name : "the context '\(name ?? "background")'" }

    // MARK: In the writer's turn

    private func write(_ transaction: WriteTransaction) throws -> SavePlan {
        if let key = request?.idempotency?.key, let answer = try transaction.reader.idempotent(key: key) {
            throw RepeatedRequest(number: answer.number, detail: answer.detail)
        }
        guard resolveConflict != nil else { return try plan(transaction.reader, resolved: [:]) }
        return try planResolving(transaction.reader)
    }

    /// Plans until `resolveConflict` changes nothing any more: what it sets may belong to objects that were planned before
    /// or that had no changes.
    private func planResolving(_ reader: Reader) throws -> SavePlan {
        var resolved: [ObjectIdentifier: MergePolicy] = [:]
        for _ in 0..<ManagedObjectContext.maximumRounds {
            let before = pending.editCount
            let plan = try planRound(reader, resolved)
            if pending.editCount == before { return plan }
            resolved = plan.resolved
            processChanges()
            try validate()
        }
        throw ContextError.unsettled(rounds: ManagedObjectContext.maximumRounds)
    }

    private func planRound(_ reader: Reader, _ resolved: [ObjectIdentifier: MergePolicy]) throws -> SavePlan {
        let planned = pending.objects
        let plan = try plan(reader, resolved: resolved)
        guard planned.allSatisfy({ $0.dirtyIndex >= 0 && $0.state != .detached }) else {
            throw ContextError.store(
                reason:
                    "resolveConflict has rolled back, reset, refreshed or merged objects that \(label) is saving: it may "
                    + "read and change them, nothing else"
            )
        }
        return plan
    }

    private func commit(_ plan: inout SavePlan, _ transaction: WriteTransaction) throws -> CommittedTransaction {
        guard !plan.changes.isEmpty || request?.idempotency != nil else { throw NothingToWrite() }
        let committed = try transaction.commit(
            LocalTransaction(
                author: author,
                contextName: name,
                changes: plan.changes,
                idempotency: request?.idempotency
            )
        )
        for case (let object, .reread) in plan.outcomes {
            plan.rows[ObjectIdentifier(object)] = try transaction.reader.row(
                object.uniqueID,
                rootEntity: object.kind.entity.root
            )
        }
        try addEffects(of: committed, transaction.reader, to: &plan)
        return committed
    }

    // MARK: After the commit

    /// Takes the written objects for clean; `committed` is nil when every change was dropped.
    private func adopt(_ plan: SavePlan, _ committed: CommittedTransaction?) {
        let saved = plan.outcomes.map(\.object).filter(\.isDirty) + linkedOwners
        let touched = Set(pending.delta.changes.keys).union(pending.delta.orderings.keys)
        var lost: [ManagedObject] = []
        var overwritten: [ManagedObject] = []
        var gone: Set<ManagedObjectID> = []
        for (object, outcome) in plan.outcomes {
            if !object.isDirty { noteEffect(on: object) }
            switch outcome {
            case .written: settle(object, committed.flatMap { written(object, $0.number) })
            case .reread:
                let before = object.values
                settle(object, plan.rows[ObjectIdentifier(object)])
                if object.values != before { overwritten.append(object) }
            case .dropped(let row):
                settle(object, row)
                overwritten.append(object)
                noteChange { $0.noteUpdated(object.objectID) }
            case .gone(let isLost):
                if isLost { lost.append(object) }
                gone.insert(object.objectID)
                move(object, on: .saveDeletion(isLost: isLost))
            }
        }
        undoStack?.forget(lost)
        dropFromRelated(gone)
        for key in touched { registry.object(key.id, rootIndex: key.rootIndex)?.extras?.related[key.slot] = nil }
        pending.finishSave()
        request = nil
        passCount &+= 1
        if let committed {
            lastSaveToken = HistoryToken(store: committed.writer.description, number: committed.number)
        }
        // Hooks may save again, so they come when everything is settled.
        for object in overwritten { object.awake(from: .mergePolicy) }
        for object in saved { object.didSave() }
        if let committed { observers.notifyOfSaveEnd(self, committed.changes) }
    }

    /// The store has changed an object that the save was not about.
    private func noteEffect(on object: ManagedObject) {
        object.extras?.related = [:]
        noteChange { $0.noteUpdated(object.objectID) }
    }

    /// The row that the store holds now, without reading it.
    private func written(_ object: ManagedObject, _ number: Int64) -> Row? {
        // A fault that was only linked anew stays one.
        if object.values.isEmpty { return nil }
        // A register that was only linked anew keeps its row's revision.
        if object.changed.isEmpty, let row = object.row { return row }
        var values = object.values
        for slot in object.kind.transientSlots { values[slot] = .null }
        return Row(id: object.objectID, entity: object.kind.entity, revision: number, values: values)
    }

    private func settle(_ object: ManagedObject, _ row: Row?) {
        pending.move(object, on: .save)
        if let row {
            object.replace(row)
        } else {
            object.turnIntoFault()
        }
    }

    private struct NothingToWrite: Error {}
}
