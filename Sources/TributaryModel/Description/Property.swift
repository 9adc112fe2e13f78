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

    /// The property's name in the previous model version, or the identifier that it keeps from version to version.
    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship, _): relationship.renamingIdentifier
        }
    }
}
