import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    /// As ``fetch(_:)`` for the view context, with the SQL run off the main actor.
    ///
    /// What the context shows when the answer comes counts, its unsaved changes included. Cancelling the task interrupts
    /// SQLite.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, else ``ContextError`` or `ObjectPredicateError`.
    public func fetchAsynchronously(_ request: FetchRequest) async throws -> [ManagedObject] {
        try Task.checkCancellation()
        // A child shows what its parent has not saved, too: that is known here alone.
        guard let generation, source.isStore else { return try fetch(request) }
        let query = try home.query(request)
        let wantsRows = request.includesPropertyValues
        let answer: (rows: [Row], ids: [ManagedObjectID], number: Int64)
        do {
            answer = try await generation.readInTurn { reader in
                let rows = wantsRows ? try reader.rows(query) : []
                return (rows, wantsRows ? rows.map(\.id) : try reader.ids(query), try reader.newestTransaction())
            }
        } catch let error as StoreError {
            throw ContextError(error)
        }
        processPendingChanges()
        // A merge or an edit that came meanwhile may change the answer.
        guard self.generation === generation, pending.count == 0 || !request.includesPendingChanges else {
            return try fetch(request)
        }
        let objects: [ManagedObject]
        if wantsRows, !request.returnsObjectsAsFaults {
            objects = answer.rows.map { object(for: $0) }
        } else {
            keep(answer.rows, readAt: answer.number)
            objects = answer.ids.map { fault(for: $0) }
        }
        if !request.prefetchedKeyPaths.isEmpty {
            try prefetch(request.prefetchedKeyPaths, of: objects, entity: request.entityName)
        }
        return objects
    }

    /// The same, as objects of a class; objects of other classes are left out.
    public func fetchAsynchronously<Object: ManagedObject>(
        _ request: FetchRequest,
        as type: Object.Type
    ) async throws -> [Object] {
        try schema.check(type, isClassOf: try kind(named: request.entityName))
        return try await fetchAsynchronously(request).compactMap { $0 as? Object }
    }
}
