// A save: the plan under the write lock, the commit, and the state of the objects after it; saves in one transaction.

import TributaryChanges
import TributaryModel
import TributaryStore

struct SaveOperation {
    let context: ManagedObjectContext

    func run() throws {
        if let error = context.reader.unreportedError {
            context.reader.unreportedError = nil
            throw error
        }
        if context.pending.count > 0 { context.observation.willSaves.forEach { $0(context) } }
        try callWillSave()
        guard context.pending.needsSave || context.saving.request?.idempotencyKey != nil else {
            return context.saving.endRequest(SavePlan())
        }
        try SaveValidation(context: context).validate()
        do {
            if let parent = context.above {
                try ChildSave(context: context).run(parent)
            } else {
                try write(to: context.reader.saves)
            }
        } catch let error as StoreError {
            throw ContextError(error)
        }
    }

    private func callWillSave() throws {
        context.processChanges()
        for _ in 0..<ManagedObjectContext.maximumRounds {
            let before = context.pending.editCount
            for object in context.pending.objects + context.relationships.linkedOwners { object.willSave() }
            context.processChanges()
            if context.pending.editCount == before { return }
        }
        throw ContextError.unsettled(rounds: ManagedObjectContext.maximumRounds)
    }

    private func write(to joined: JoinedSaves) throws {
        guard !joined.isPlanning else { throw ContextError.saveInProgress(by: context.label) }
        let transaction = joined.transaction
        var plan = SavePlan()
        let block = { (transaction: WriteTransaction) throws -> CommittedTransaction in
            var shadows: [UnhiddenShadow] = []
            var resolved: [ObjectIdentifier: MergePolicy] = [:]
            while true {
                plan = try joined.planning { try self.plan(transaction, shadows, &resolved) }
                do {
                    return try write(&plan, transaction)
                } catch StoreError.sharesKey(let key) {
                    shadows.append(try shadow(key, transaction, after: shadows, isJoined: joined.transaction != nil))
                }
            }
        }
        do {
            if let transaction {
                let committed = try block(transaction)
                joined.add(SaveMemento(of: context, plan))
                adopt(plan, committed)
            } else {
                // The commit creates the plan, so it comes first.
                try StoreCommit(context: context).run(block) { adopt(plan, $0) }
            }
        } catch is NothingToWrite {
            if transaction != nil { joined.add(SaveMemento(of: context, plan)) }
            let isSuperseded = plan.hasLost || context.pending.delta.hasMoves
            adopt(plan, nil)
            // The transaction that superseded a change of this save is newer than the generation that the context
            // shows.
            if transaction == nil, isSuperseded { try context.moveToNewest() }
        }
    }

    private func shadow(
        _ key: SharedKey,
        _ transaction: WriteTransaction,
        after known: [UnhiddenShadow],
        isJoined: Bool
    ) throws -> UnhiddenShadow {
        let shadow = try UnhiddenShadow(key, transaction.reader, context.schema.model)
        let isResolved = known.contains { $0.key.object == key.object && $0.key.other == key.other }
        guard !isResolved, known.count < ManagedObjectContext.maximumRounds, !isJoined else {
            throw ConflictError(conflicts: [], constraintConflicts: [shadow.conflict(context.store.readable)])
        }
        return shadow
    }

    private func plan(
        _ transaction: WriteTransaction,
        _ shadows: [UnhiddenShadow],
        _ resolved: inout [ObjectIdentifier: MergePolicy]
    ) throws -> SavePlan {
        if let key = context.saving.request?.idempotencyKey,
            let answer = try transaction.reader.history.idempotent(key: key)
        {
            throw RepeatedRequest(number: answer.number, detail: answer.detail)
        }
        guard context.resolveConflict != nil else { return try planRound(transaction.reader, [:], shadows) }
        return try planResolving(transaction.reader, shadows, &resolved)
    }

    /// Plans until `resolveConflict` makes no more changes; it is called once for each object.
    private func planResolving(
        _ reader: Reader,
        _ shadows: [UnhiddenShadow],
        _ resolved: inout [ObjectIdentifier: MergePolicy]
    ) throws -> SavePlan {
        for _ in 0..<ManagedObjectContext.maximumRounds {
            let before = context.pending.editCount
            let plan = try planRound(reader, resolved, shadows)
            resolved = plan.resolved
            if context.pending.editCount == before { return plan }
            context.processChanges()
            try SaveValidation(context: context).validate()
        }
        throw ContextError.unsettled(rounds: ManagedObjectContext.maximumRounds)
    }

    private func planRound(
        _ reader: Reader,
        _ resolved: [ObjectIdentifier: MergePolicy],
        _ shadows: [UnhiddenShadow]
    ) throws -> SavePlan {
        let planned = context.pending.objects
        let plan = try SavePlanner(context: context, reader: reader, shadows: shadows).plan(resolved: resolved)
        guard planned.allSatisfy({ $0.dirtyIndex >= 0 && $0.state != .detached }) else {
            throw ContextError.store(
                reason:
                    "resolveConflict has rolled back, reset, refreshed or merged objects that \(context.label) is saving: it may "
                    + "read and change them, nothing else"
            )
        }
        return plan
    }

    private func write(_ plan: inout SavePlan, _ transaction: WriteTransaction) throws -> CommittedTransaction {
        let request = context.saving.request
        guard !plan.changes.isEmpty || request?.idempotencyKey != nil else { throw NothingToWrite() }
        let idempotency = request?.idempotencyKey.map { key in
            let ids = [context.saving.answers, request?.answers(plan) ?? []].joined()
            return LocalTransaction.Idempotency(key: key, detail: ids.lazy.map(\.description).joined(separator: " "))
        }
        let committed = try transaction.commit(
            LocalTransaction(
                author: context.author,
                contextName: context.name,
                changes: plan.changes,
                idempotency: idempotency,
                restoredConflict: request?.restoredConflict
            )
        )
        // A large save needs the memory of the changes again.
        plan.changes = []
        for case (let object, .reread) in plan.results {
            plan.rows[ObjectIdentifier(object)] = try transaction.reader.row(
                object.uniqueID,
                rootEntity: object.descriptor.entity.root
            )
        }
        try addEffects(of: committed, transaction.reader, to: &plan)
        return committed
    }

    private func adopt(_ plan: SavePlan, _ committed: CommittedTransaction?) {
        let saved = plan.results.map(\.object).filter(\.isDirty) + context.relationships.linkedOwners
        let touched = context.pending.delta.keys
        var lost: [ManagedObject] = []
        var overwritten: [ManagedObject] = []
        var gone: Set<ManagedObjectID> = []
        for (object, result) in plan.results {
            if !object.isDirty {
                // The store has changed it as an effect of the save.
                object.extras?.related = [:]
                context.recordChange { $0.addUpdate(of: object.objectID) }
            }
            switch result {
            case .written: markSaved(object, written(object, committed?.number))
            case .reread:
                let before = object.values
                markSaved(object, plan.rows[ObjectIdentifier(object)])
                guard object.values != before else { continue }
                overwritten.append(object)
                context.recordChange { $0.addUpdate(of: object.objectID) }
            case .dropped(let row):
                markSaved(object, row)
                overwritten.append(object)
                context.recordChange { $0.addUpdate(of: object.objectID) }
            case .gone(let isLost):
                if isLost { lost.append(object) }
                gone.insert(object.objectID)
                context.move(object, on: .saveDeletion(isLost: isLost))
            }
        }
        gone.formUnion(plan.removed)
        context.undoStack?.forget(lost + plan.unknownToUndo)
        context.relationships.dropRelated(gone, touched: touched)
        // References to replaced objects lead to others now.
        for (root, replaced) in plan.unique.replacements {
            guard let rootIndex = context.schema.descriptor(named: root)?.rootIndex else { continue }
            for id in replaced.values { context.registry.object(id, rootIndex: rootIndex)?.extras?.related = [:] }
        }
        if let committed, context.pending.hasReusedIDs {
            MergeOperation(context: context).dropRelated(committed.changes)
        }
        context.pending.finishSave()
        context.saving.endRequest(plan)
        context.reader.invalidatePrefetched()
        if let committed {
            context.lastSaveToken = HistoryToken(store: committed.history ?? "", number: committed.number)
        }
        // Hooks may save again, so they are called last.
        for object in overwritten { object.awake(from: .mergePolicy) }
        for object in saved { object.didSave() }
        if let committed { context.observation.didSaves.forEach { $0(context, committed.changes) } }
    }

    private func written(_ object: ManagedObject, _ number: Int64?) -> Row? {
        // A fault that was only linked or unlinked stays a fault.
        if object.values.isEmpty { return nil }
        // An object that was only linked or unlinked keeps its row's revision.
        if object.changed.isEmpty, let row = object.row { return row }
        return number.map { object.image(revision: $0) }
    }

    private func markSaved(_ object: ManagedObject, _ row: Row?) {
        context.pending.move(object, on: .save)
        object.extras?.former = nil
        if let row {
            object.replace(row)
        } else {
            object.turnIntoFault()
        }
    }

    private struct NothingToWrite: Error {}

    /// Adds the effects of the save on other objects, so that the context has no conflict with itself later.
    func addEffects(of committed: CommittedTransaction, _ reader: Reader, to plan: inout SavePlan) throws {
        let planned = Set(
            plan.results.compactMap { object, result -> ObjectIdentifier? in
                // The save has no new row for an object that was only linked or unlinked; the store may have one. A
                // changed object may also have lost a one-to-one target, or may refer to an object that is inserted
                // again under its ID.
                if case .written = result, object.state == .updated,
                    object.changed.isEmpty || context.pending.hasReusedIDs
                        || context.relationships.mayLoseTarget(object)
                {
                    return nil
                }
                return ObjectIdentifier(object)
            }
        )
        let former = plan
        lazy var indices = former.indices
        let changes = committed.changes
        for object in context.objectsInUse(touchedBy: changes) where !changes.inserted.contains(object.objectID) {
            guard !planned.contains(ObjectIdentifier(object)), let known = object.row, !object.values.isEmpty else {
                continue
            }
            switch object.state {
            case .clean, .updated: break
            case .inserted, .deleted, .gone, .detached: continue
            }
            let row = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root)
            guard row?.revision != known.revision else { continue }
            if let index = indices[ObjectIdentifier(object)] {
                plan.results[index].result = .reread
            } else if object.state == .clean {
                plan.results.append((object, row == nil ? .gone(isLost: false) : .reread))
            }
            plan.rows[ObjectIdentifier(object)] = row
        }
    }
}

struct StoreCommit {
    let context: ManagedObjectContext

    func run(
        _ block: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        if context.isMain {
            try runInMain(block, adopting: adopt)
        } else if let generation = context.generation {
            try runPinned(at: generation, block, adopting: adopt)
        } else {
            adopt(try commit(block))
        }
    }

    func commit(
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        committed: (HeldWriteLock) -> Void = { _ in }
    ) throws -> CommittedTransaction {
        try context.store.write(block) { transaction, lock in
            context.home.pipeline.announce(transaction, lock)
            committed(lock)
        }
    }

    func runInMain(
        _ block: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        // The view context never leaves the main actor, where this runs, so nothing crosses here.
        nonisolated(unsafe) let block = block
        nonisolated(unsafe) let adopt = adopt
        let pipeline = context.home.pipeline
        try context.home.viewContextUse.holding {
            try MainActor.assumeIsolated { _ = try pipeline.commitMain(block, adopting: adopt) }
        }
    }

    private func runPinned(
        at old: Generation,
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws {
        var pinned: Generation?
        let committed = try commit(block) { pinned = try? $0.move(from: old, connections: 1) }
        // Observers of the save see the rows after it; a hook may save again.
        context.generation = pinned
        context.reader.mergedThrough = old.number
        adopt(committed)
        // Without the generation the commit is still valid, and the context reads the newest state from now on.
        guard let pinned else { return context.mergeNewest() }
        let changes = try pinned.read { try $0.history.changes(after: old.number, through: committed.number - 1) }
        context.reader.mergedThrough = max(context.reader.mergedThrough, pinned.number)
        MergeOperation(context: context).merge(changes, movingTo: pinned)
    }
}

/// Restored when the longer transaction that a save has joined fails.
struct SaveMemento {
    struct Entry {
        var object: ManagedObject
        var state: ObjectState
        var isUnsaved: Bool
        var former: ManagedObject?
        var changed: PropertyIndexSet
        var row: Row?
        var values: [PropertyValue]
        var counted: [Int: CountedAmount]

        init(_ object: ManagedObject) {
            self.object = object
            state = object.state
            isUnsaved = object.extras?.isUnsaved == true
            former = object.extras?.former
            changed = object.changed
            row = object.row
            values = object.values
            counted = object.extras?.counted ?? [:]
        }
    }

    var entries: [Entry]
    var delta: RelationshipDelta
    var lostConflicts: [MergeConflict]
    var saveCount: UInt64
    var lastSave: UInt64
    var hasReusedIDs: Bool
    var lastSaveToken: HistoryToken?

    init(of context: ManagedObjectContext, _ plan: SavePlan) {
        entries = plan.results.map { Entry($0.object) }
        delta = context.pending.delta
        lostConflicts = context.pending.lostConflicts
        saveCount = context.pending.saveCount
        lastSave = context.pending.lastSave
        hasReusedIDs = context.pending.hasReusedIDs
        lastSaveToken = context.lastSaveToken
    }
}
