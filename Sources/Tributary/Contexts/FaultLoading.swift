import TributaryChanges
import TributaryModel
import TributaryStore

struct FaultLoading {
    let context: ManagedObjectContext

    /// A getter cannot throw, so an error is kept on the object.
    func fire(_ object: ManagedObject) {
        do {
            try load(object)
        } catch {
            if case .notFound = error {
            } else if case .notYetMerged = error {
            } else {
                context.reader.unreportedError = error
            }
            report(error, of: object)
        }
    }

    func report(_ error: ContextError, of object: ManagedObject) {
        let extras = object.makeExtras()
        extras.faultError = error
        guard !extras.wasReported else { return }
        extras.wasReported = true
        context.observation.inaccessibleFaults.forEach { $0(object, error) }
    }

    func load(_ object: ManagedObject) throws(ContextError) {
        let id = object.objectID
        guard object.descriptor.isKnown else { throw ContextError.notFound(id) }
        let row: Row?
        do {
            row = try context.reader.row(object.uniqueID, object.descriptor)
        } catch .store(let reason) {
            throw ContextError.unreadable(id, reason: reason)
        }
        if var row, row.entity.name == object.descriptor.entity.name { return object.fill(from: &row) }
        let newer = row == nil ? try newerTransaction(of: object) : nil
        // An object that was only linked cannot keep its links, and an object that was deleted unread is deleted
        // already. An ID that is not merged yet is looked up again at the next access.
        context.move(object, on: .loadFailure)
        let error = newer.map { ContextError.notYetMerged(id, transaction: $0) } ?? .notFound(id)
        object.makeExtras().faultError = error
        throw error
    }

    func explain(_ object: ManagedObject) {
        guard let newer = try? newerTransaction(of: object) else { return }
        object.makeExtras().faultError = .notYetMerged(object.objectID, transaction: newer)
    }

    private func newerTransaction(of object: ManagedObject) throws(ContextError) -> HistoryToken? {
        guard context.generation != nil, context.above?.unsaved(object.key) == nil else { return nil }
        return try ContextError.wrapping {
            try context.store.read { reader -> HistoryToken? in
                guard let row = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root) else {
                    return nil
                }
                return HistoryToken(store: try reader.history.name(), number: row.revision)
            }
        }
    }

    func loadBatch(_ ids: [ManagedObjectID]) throws(ContextError) -> [ManagedObject] {
        let objects = ids.map { context.fault(for: $0) }
        var missing: [ManagedObject] = []
        for object in objects where object.isFault && context.above?.unsaved(object.key) == nil {
            if let row = context.reader.cachedRow(object.objectID) {
                _ = context.object(for: row)
            } else {
                missing.append(object)
            }
        }
        guard !missing.isEmpty else { return objects }
        for row in try context.reader.readAhead({ try $0.rows(missing.map(\.objectID)) }) {
            _ = context.object(for: row)
        }
        return objects
    }

    /// After a failed read the objects stay faults, and the next save throws the error.
    func loadBatchIfPossible(_ ids: [ManagedObjectID]) -> [ManagedObject] {
        do {
            return try loadBatch(ids)
        } catch {
            context.reader.unreportedError = error
            return ids.map { context.fault(for: $0) }
        }
    }
}
