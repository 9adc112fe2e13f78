import TributaryChanges
import TributaryStore

final class JoinedSaves {
    private(set) var transaction: WriteTransaction?
    private var mementos: [SaveMemento] = []
    /// A plan may call `resolveConflict`, which must not save.
    private(set) var isPlanning = false

    func join(_ transaction: WriteTransaction, _ block: () throws -> Void) rethrows {
        self.transaction = transaction
        defer { self.transaction = nil }
        try block()
    }

    /// When false, a failure leaves a context that has to be reset.
    var keepsStates = true

    func add(_ memento: @autoclosure () -> SaveMemento) {
        if keepsStates { mementos.append(memento()) }
    }

    func removeMementos() -> [SaveMemento] {
        defer { mementos = [] }
        return mementos
    }

    func planning<T>(_ block: () throws -> T) throws -> T {
        isPlanning = true
        defer { isPlanning = false }
        return try block()
    }
}

extension JoinedSaves {
    /// Commits the saves of `block` as one transaction; after an error their changes are unsaved again.
    func run<T>(in context: ManagedObjectContext, _ block: @escaping () throws -> T) throws -> T {
        var result: T?
        // If the block has not begun, nothing was read.
        var newest = Int64.max
        let write = { [self] (transaction: WriteTransaction) throws -> CommittedTransaction in
            newest = try transaction.reader.history.newestTransaction()
            transaction.joinCommits(isLong: !keepsStates)
            defer { transaction.abandonJoined() }
            try join(transaction) {
                result = try block()
                context.processPendingChanges()
            }
            guard let committed = try transaction.finishJoined() else { throw NothingSaved() }
            return committed
        }
        do {
            try StoreCommit(context: context).run(write) { _ in }
            _ = removeMementos()
        } catch let error {
            let isDone = error is NothingSaved
            let mementos = removeMementos()
            var successors: [ManagedObject] = []
            if !isDone { for memento in mementos.reversed() { restore(memento, in: context, &successors) } }
            context.reader.invalidatePrefetched()
            let formers = successors.compactMap { $0.extras?.former }
            forgetRows(
                of: context.registry.objects + formers,
                in: context,
                newerThan: context.generation?.number ?? newest,
                committed: newest
            )
            for object in successors {
                if let former = object.extras?.former { context.relationships.follow(former, by: object) }
            }
            context.processPendingChanges()
            if !isDone { throw (error as? StoreError).map { ContextError($0) } ?? error }
        }
        guard let result else { throw ContextError.closed }
        return result
    }

    private struct NothingSaved: Error {}

    private func restore(
        _ memento: SaveMemento,
        in context: ManagedObjectContext,
        _ successors: inout [ManagedObject]
    ) {
        for entry in memento.entries where entry.object.state != .detached {
            restore(entry, in: context)
            if let successor = restoreState(entry, in: context) { successors.append(successor) }
        }
        context.undoStack?.restore(memento, context.relationships)
        context.pending.restore(memento)
        context.lastSaveToken = memento.lastSaveToken
    }

    private func restore(_ entry: SaveMemento.Entry, in context: ManagedObjectContext) {
        let object = entry.object
        let (edited, now, later) = (object.changed, object.values, object.extras?.counted ?? [:])
        object.row = entry.row
        object.values = entry.values
        object.changed = entry.changed
        for propertyIndex in edited.propertyIndexes
        where now.indices.contains(propertyIndex) && object.values.indices.contains(propertyIndex) {
            object.values[propertyIndex] = now[propertyIndex]
            object.changed.insert(propertyIndex)
        }
        if !entry.counted.isEmpty || !later.isEmpty { object.makeExtras().counted = entry.counted }
        for (propertyIndex, counted) in later where entry.values.indices.contains(propertyIndex) {
            let former = entry.counted[propertyIndex]
            let sum = CountedAmount(
                base: former?.base ?? entry.values[propertyIndex],
                amount: former.map { CounterTotals.sum($0.amount, counted.amount) } ?? counted.amount
            )
            object.extras?.counted[propertyIndex] = sum
            object.values[propertyIndex] = sum.shown
        }
        if entry.isUnsaved { object.makeExtras().isUnsaved = true }
        if let former = entry.former { object.makeExtras().former = former }
    }

    /// Returns a new object with the ID of a deleted object: a save deletes the one and then inserts the other.
    private func restoreState(_ entry: SaveMemento.Entry, in context: ManagedObjectContext) -> ManagedObject? {
        let object = entry.object
        let known = context.registry.object(object.uniqueID, rootIndex: object.descriptor.rootIndex)
        if let known, known !== object {
            known.makeExtras().former = entry.row == nil ? entry.former : object
            return known
        }
        context.pending.move(object, on: .restore(entry.state))
        context.recordChange { $0.addUpdate(of: object.objectID) }
        return nil
    }

    private func forgetRows(
        of objects: [ManagedObject],
        in context: ManagedObjectContext,
        newerThan number: Int64,
        committed: Int64
    ) {
        var changed: [ManagedObject] = []
        for object in objects {
            object.extras?.related = [:]
            guard let revision = object.rowRevision else { continue }
            if object.state != .clean {
                if revision > committed { changed.append(object) }
            } else if revision > number {
                object.turnIntoFault()
            }
        }
        guard !changed.isEmpty else { return }
        do {
            let rows = try context.store.read { reader in
                try changed.map { try reader.row($0.uniqueID, rootEntity: $0.descriptor.entity.root) }
            }
            for case (let object, let row?) in zip(changed, rows) where row.entity === object.descriptor.entity {
                if object.state == .gone {
                    object.rebase(on: row)
                } else {
                    MergeOperation(context: context).rebase(object, on: row)
                    context.recordChange { $0.addUpdate(of: object.objectID) }
                }
            }
        } catch {
            context.reader.unreportedError = ContextError(error)
        }
    }
}
