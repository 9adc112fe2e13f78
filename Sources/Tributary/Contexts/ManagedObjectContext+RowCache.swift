import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// The store's row of an object as the context would read it, when it has been read already.
    ///
    /// Who shows a generation, the children of such a context included, shares the container's row cache. Who reads what is
    /// newest does not: another process may have written since. It has what it has read ahead itself.
    func cachedRow(_ id: ManagedObjectID) -> Row? {
        guard let number = source.cachedGeneration else { return rowsAtHand.row(id, version: shownVersion) }
        return home.pipeline.rowCache.row(id, at: number)
    }

    /// Moves when the context shows something else of the store or of the contexts above.
    var shownVersion: UInt64 { passCount &+ source.version }

    /// Reads rows, and keeps them for faults.
    ///
    /// Rows of a transaction that is not committed stay in the context.
    func readAhead(_ body: (Reader) throws -> [Row]) throws(ContextError) -> [Row] {
        let (rows, number) = try read { reader in (try body(reader), try reader.newestTransaction()) }
        keep(rows, readAt: number)
        return rows
    }

    /// Reads the rows of a request, and keeps them for faults.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when the request does not fit the model.
    func readResultsAhead(_ query: FetchQuery) throws -> [Row] {
        let (rows, number) = try readResults { reader in (try reader.rows(query), try reader.newestTransaction()) }
        keep(rows, readAt: number)
        return rows
    }

    /// Keeps rows that were read when the newest transaction was `number`.
    func keep(_ rows: [Row], readAt number: Int64) {
        if source.isCommitted { home.pipeline.rowCache.insert(rows, readAt: number) }
        if source.cachedGeneration == nil { rowsAtHand.insert(rows, version: shownVersion) }
    }

    /// The object of an ID that names its concrete entity: nothing is read.
    func fault(for id: ManagedObjectID) -> ManagedObject {
        let kind = schema.kind(of: id)
        if let known = registry.object(id.uniqueID, rootIndex: kind.rootIndex), known.state != .gone { return known }
        let object = kind.type.init(ObjectOrigin(kind: kind, uniqueID: id.uniqueID, context: self))
        registry.register(object)
        return object
    }

    /// The objects of the IDs, with their rows read in one query where they are not there yet.
    func loadBatch(_ ids: [ManagedObjectID]) throws(ContextError) -> [ManagedObject] {
        let objects = ids.map { fault(for: $0) }
        var missing: [ManagedObject] = []
        for object in objects where object.isFault && source.unsaved(object.key) == nil {
            if let row = cachedRow(object.objectID) { _ = self.object(for: row) } else { missing.append(object) }
        }
        guard !missing.isEmpty else { return objects }
        for row in try readAhead({ try $0.rows(missing.map(\.objectID)) }) { _ = object(for: row) }
        return objects
    }
}
