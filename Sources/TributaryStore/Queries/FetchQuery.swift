package import TributaryModel

/// The description of a fetch of objects.
package struct FetchQuery: Sendable {
    package var entity: Entity
    package var predicate: ObjectPredicate?
    package var sortKeys: [SortKey]
    package var limit: Int?
    package var offset: Int
    package var includesSubentities: Bool

    package init(
        entity: Entity,
        predicate: ObjectPredicate? = nil,
        sortKeys: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0,
        includesSubentities: Bool = true
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.limit = limit
        self.offset = offset
        self.includesSubentities = includesSubentities
    }

    var isOrderedByID: Bool { sortKeys.isEmpty }
    /// Whether the query is for all objects of an entity, or the first of them.
    ///
    /// Such queries have few different statements, so the connection caches them.
    var isPlain: Bool { predicate == nil && sortKeys.isEmpty }
}
