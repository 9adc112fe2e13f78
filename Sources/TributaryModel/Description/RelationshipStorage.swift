/// Where the store keeps a relationship.
public enum RelationshipStorage: Sendable, Hashable {
    /// A to-one register in the row of the object itself.
    case column
    /// Derived from the register `relationship` in rows of `entity`, the other end: every to-many with a to-one
    /// inverse, and the side of a one-to-one that sorts last by (entity, name).
    case inverse(entity: String, relationship: String)
    /// Pairs in the table `table`; `ownsPairs` is true on the side that is the pairs' source.
    case links(table: String, ownsPairs: Bool)
}
