import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    /// The row of an object at the context's generation, when it has been read already.
    func cachedRow(_ id: ManagedObjectID) -> Row? {
        home.pipeline.rowCache.row(id, at: generation?.number)
    }

    /// Reads rows and leaves them in the row cache.
    func readAndCache(_ query: FetchQuery) throws(ContextError) -> [Row] {
        let (rows, number) = try read { reader in (try reader.rows(query), try reader.newestTransaction()) }
        home.pipeline.rowCache.insert(rows, readAt: number)
        return rows
    }

    /// The object of an ID that names its concrete entity: nothing is read.
    func fault(for id: ManagedObjectID) -> ManagedObject {
        let kind = schema.kind(of: id)
        if let known = registry.object(id.uniqueID, rootIndex: kind.rootIndex), known.state != .gone { return known }
        let object = kind.type.init(ObjectOrigin(kind: kind, uniqueID: id.uniqueID, context: self))
        registry.register(object)
        return object
    }
}
