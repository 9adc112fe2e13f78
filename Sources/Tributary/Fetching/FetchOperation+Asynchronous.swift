import TributaryChanges
import TributaryStore

extension FetchOperation {
    func objectsAsynchronously() async throws -> [ManagedObject] {
        try Task.checkCancellation()
        // A child also shows its parent's unsaved changes, which only this queue knows.
        guard let generation = context.generation, context.reader.isStore else { return try self.objects() }
        let query = try context.home.query(request)
        let wantsRows = request.includesPropertyValues
        let answer: (rows: [Row], ids: [ManagedObjectID], number: Int64)
        do {
            answer = try await generation.readInTurn { reader in
                let rows = wantsRows ? try reader.rows(query) : []
                let ids = wantsRows ? rows.map(\.id) : try reader.ids(query)
                return (rows, ids, try reader.history.newestTransaction())
            }
        } catch let error as StoreError {
            throw ContextError(error)
        }
        context.processPendingChanges()
        // A merge or an edit during the query may change the result.
        guard context.generation === generation, context.pending.count == 0 || !request.includesPendingChanges else {
            return try self.objects()
        }
        let objects: [ManagedObject]
        if wantsRows, !request.returnsObjectsAsFaults {
            objects = answer.rows.map { context.object(for: $0) }
        } else {
            context.reader.keep(answer.rows, readAt: answer.number)
            objects = answer.ids.map { context.fault(for: $0) }
        }
        try prefetch(for: objects)
        return objects
    }
}
