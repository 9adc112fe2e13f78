import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Reads the row of a fault for a getter, which cannot throw: what goes wrong is noted on the object.
    func fire(_ object: ManagedObject) {
        do {
            try load(object)
        } catch {
            if case .notFound = error {} else if case .notYetMerged = error {} else { pendingReadError = error }
            report(error, of: object)
        }
    }

    /// Notes why an object could not be read, and tells of it once.
    func report(_ error: ContextError, of object: ManagedObject) {
        let extras = object.makeExtras()
        extras.faultError = error
        guard !extras.wasReported else { return }
        extras.wasReported = true
        observers.notify(error, of: object)
    }

    /// Reads the row of a fault.
    ///
    /// An object without a row is gone from then on.
    func load(_ object: ManagedObject) throws(ContextError) {
        let id = object.objectID
        guard object.kind.isKnown else { throw ContextError.notFound(id) }
        let row = try unreadable(id) { () throws(ContextError) in
            try self.row(object.uniqueID, object.kind)
        }
        if let row, row.entity.name == object.kind.entity.name { return object.take(row) }
        let newer = row == nil ? try newerTransaction(of: object) : nil
        // One that was only linked has nothing to link to, and one that was deleted unread is deleted already. An ID that
        // is not merged yet is looked for again when it is asked for again.
        move(object, on: .loadFailure)
        let error = newer.map { ContextError.notYetMerged(id, transaction: $0) } ?? .notFound(id)
        object.makeExtras().faultError = error
        throw error
    }

    /// The transaction that brought the object, when the generation is older than the object.
    private func newerTransaction(of object: ManagedObject) throws(ContextError) -> HistoryToken? {
        guard generation != nil, source.unsaved(object.key) == nil else { return nil }
        do {
            return try store.read { reader in
                guard let row = try reader.row(object.uniqueID, rootEntity: object.kind.entity.root) else { return nil }
                return HistoryToken(store: try reader.ownWriter().id.description, number: row.revision)
            }
        } catch {
            throw ContextError(error)
        }
    }

    private func unreadable<T>(
        _ id: ManagedObjectID,
        _ body: () throws(ContextError) -> T
    ) throws(ContextError) -> T {
        do {
            return try body()
        } catch .store(let reason) {
            throw ContextError.unreadable(id, reason: reason)
        }
    }
}
