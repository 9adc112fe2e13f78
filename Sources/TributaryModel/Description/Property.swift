/// An attribute or a relationship of an entity.
public enum Property: Sendable, Hashable {
    case attribute(Attribute)
    case relationship(Relationship, RelationshipStorage)

    /// The property's name in the model.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship, _): relationship.name
        }
    }

    /// The attribute; nil for a relationship.
    public var attribute: Attribute? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }

    /// The relationship; nil for an attribute.
    public var relationship: Relationship? {
        if case .relationship(let relationship, _) = self { relationship } else { nil }
    }

    /// Whether other objects can give the property too few or too many objects.
    package var isBounded: Bool {
        guard case .relationship(let relationship, let storage) = self, storage != .column else { return false }
        return relationship.needsObject || relationship.minimumCount > 0 || relationship.maximumCount > 1
    }

    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship, _): relationship.renamingIdentifier
        }
    }
}

/// A relationship of an entity, as in the model.
public struct Relationship: Sendable, Hashable {
    /// The name of the relationship, and of its column in the store when it is to-one.
    public var name: String
    /// The entity of the destination objects.
    public var destination: String
    /// The name of the inverse relationship in the destination entity; nil without an inverse.
    public var inverse: String?
    /// Whether the relationship can have several destination objects.
    public var isToMany = false
    /// Whether the destination objects of a to-many relationship are ordered.
    public var isOrdered = false
    /// Whether a to-one relationship may be empty, and whether a to-many relationship with a minimum may be empty.
    ///
    /// A to-many relationship without a minimum may always be empty, as in Core Data.
    public var isOptional = false
    /// The least number of destination objects of a to-many relationship; an optional relationship may also be empty.
    public var minimumCount = 0
    /// The greatest number of destination objects; 0 for no limit.
    public var maximumCount = 0
    /// The effect of deleting an object on the destination objects.
    public var deleteRule: DeleteRule = .nullify
    /// The relationship's name in the previous model version.
    public var renamingIdentifier: String?
    /// A text that changes the version hash, for a change that the rest of the model does not show.
    public var versionHashModifier: String?
    /// Further information about the relationship by key, as in the model.
    public var userInfo: [String: String] = [:]

    /// Creates a mandatory to-one relationship with the delete rule Nullify.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - destination: The entity of the destination objects.
    ///   - inverse: The name of the inverse relationship; nil for none.
    public init(name: String, destination: String, inverse: String? = nil) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
    }
}

extension Relationship {
    package var needsObject: Bool { !isOptional && (!isToMany || minimumCount > 0) }
}

/// The effect of deleting an object on the objects at the other end of a relationship.
public enum DeleteRule: String, Sendable, CaseIterable {
    /// The inverse relationship of those objects is set to nil or loses the deleted object.
    case nullify = "Nullify"
    /// Those objects are deleted too.
    case cascade = "Cascade"
    /// The object cannot be deleted while the relationship has objects.
    case deny = "Deny"
    /// Those objects are not written; their inverse relationship reads as empty.
    case noAction = "No Action"
}

/// The storage of a relationship in the store.
public enum RelationshipStorage: Sendable, Hashable {
    /// A to-one register in the object's own row.
    case column
    /// No storage of its own: the register `relationship` in rows of `entity`, the inverse, holds the relationship.
    ///
    /// Every to-many relationship with a to-one inverse is of this kind, and the side of a one-to-one relationship that
    /// sorts last by (entity, name).
    case inverse(entity: String, relationship: String)
    /// Pairs in the table `table`; `ownsPairs` is true when the relationship's objects are the sources of the pairs.
    case links(table: String, ownsPairs: Bool)
}
