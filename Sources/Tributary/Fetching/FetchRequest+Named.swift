public import TributaryModel

extension FetchRequest {
    /// Creates a request that the model names, with values for its `$VARIABLES`.
    ///
    /// - Throws: ``ContextError`` `unknownFetchRequest` when the model has none of the name, `ObjectPredicateError`
    ///   when its predicate cannot be read.
    public init(
        named name: String,
        in model: Model,
        substituting variables: [String: PredicateArgument] = [:]
    ) throws {
        guard let stored = model.fetchRequests[name] else { throw ContextError.unknownFetchRequest(name) }
        self.init(
            stored.entity,
            predicate: try stored.predicate.map { try ObjectPredicate(parsing: $0, variables: variables) }
        )
        fetchLimit = stored.fetchLimit > 0 ? stored.fetchLimit : nil
        fetchBatchSize = stored.fetchBatchSize
        includesSubentities = stored.includesSubentities
    }
}
