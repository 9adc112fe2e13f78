package import TributaryChanges

extension Reader {
    /// The visible objects that fulfil the query, in its order.
    package func rows(_ query: FetchQuery) throws -> [Row] { fatalError("stub") }
    package func ids(_ query: FetchQuery) throws -> [ManagedObjectID] { fatalError("stub") }
    package func count(_ query: FetchQuery) throws -> Int { fatalError("stub") }
}
