/// The storage of a relationship in the store.
public enum RelationshipStorage: Sendable, Hashable {
    /// A to-one register in the object's own row.
    case column
    /// No storage of its own: the register `relationship` in rows of `entity`, the inverse, holds the relationship.
    ///
    /// Every to-many relationship with a to-one inverse is of this kind, and the side of a one-to-one relationship that
    /// sorts last by (entity, name).
    case inverse(entity: String, relationship: String)
    /// Pairs in the table `table`; `ownsPairs` is true for the relationship whose objects are the sources of the pairs.
    case links(table: String, ownsPairs: Bool)
}
