/// A relationship of an entity, as the model states it.
public struct Relationship: Sendable, Hashable {
    public var name: String
    public var destination: String
    /// The relationship of the destination that leads back; nil when there is none.
    public var inverse: String?
    public var isToMany = false
    public var isOrdered = false
    public var isOptional = false
    public var minimumCount = 0
    /// 0 when there is no limit.
    public var maximumCount = 0
    public var deleteRule: DeleteRule = .nullify
    /// The name the relationship had in the model version before.
    public var renamingIdentifier: String?
    public var userInfo: [String: String] = [:]

    /// A to-one relationship with delete rule Nullify until it is said otherwise.
    public init(name: String, destination: String, inverse: String? = nil) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
    }
}

/// What deleting an object does to the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable {
    case nullify = "Nullify"
    case cascade = "Cascade"
    case deny = "Deny"
    case noAction = "No Action"
}

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
