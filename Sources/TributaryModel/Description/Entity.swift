import TributaryChanges

/// An entity of a model, its inherited properties resolved.
///
/// Properties have *slots*: the parent's come first, so that a slot of an entity is the same in each of its
/// sub-entities. Within an entity attributes come before relationships, both sorted by name.
public final class Entity: Sendable {
    /// The name, which is also that of the table or view.
    public let name: String
    /// The name of the class that represents it, as the model states it.
    public let className: String?
    /// Whether there are objects of its sub-entities only.
    public let isAbstract: Bool
    /// The entity whose properties it inherits.
    public let parent: String?
    /// The entity at the top of the inheritance; its name is the table's.
    public let root: String
    /// The parent, its parent and so on, up to the root.
    public let ancestors: [String]
    /// All entities below this one, the children's children too, sorted by name.
    public let subentities: [String]
    /// The attributes that the entity declares itself, sorted by name.
    public let attributes: [Attribute]
    /// The relationships that the entity declares itself, sorted by name.
    public let relationships: [Relationship]
    /// The names of the properties that the entity declares itself, in the order of the model file, attributes first.
    public let declaredNames: [String]
    let ownProperties: [Property]
    /// All properties, inherited ones first; the index is the slot.
    public let properties: [Property]
    /// Sets of properties that no two objects may share, inherited ones included.
    public let uniquenessConstraints: [[String]]
    /// The indexes that the model asks for, inherited ones included.
    public let fetchIndexes: [FetchIndex]
    /// The name the entity had in the model version before.
    public let renamingIdentifier: String?
    /// Words that make the version hash another one, for a change that the model does not show.
    public let versionHashModifier: String?
    /// Further words of the model about it.
    public let userInfo: [String: String]
    private let slots: [String: Int]

    init(
        definition: EntityDefinition,
        root: String,
        ancestors: [String],
        subentities: [String],
        ownProperties: [Property],
        properties: [Property],
        uniquenessConstraints: [[String]],
        fetchIndexes: [FetchIndex]
    ) {
        name = definition.name
        className = definition.className
        isAbstract = definition.isAbstract
        parent = definition.parent
        self.root = root
        self.ancestors = ancestors
        self.subentities = subentities
        self.ownProperties = ownProperties
        declaredNames = definition.attributes.map(\.name) + definition.relationships.map(\.name)
        attributes = ownProperties.compactMap(\.attribute)
        relationships = ownProperties.compactMap(\.relationship)
        self.properties = properties
        self.uniquenessConstraints = uniquenessConstraints
        self.fetchIndexes = fetchIndexes
        renamingIdentifier = definition.renamingIdentifier
        versionHashModifier = definition.versionHashModifier
        userInfo = definition.userInfo
        slots = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
    }

    /// The slot of the property with the given name, inherited ones included.
    ///
    /// Names are the same when their Unicode scalars are.
    public func slot(named name: String) -> Int? { slots[identical: name] }

    /// The property with the given name, inherited ones included.
    public func property(named name: String) -> Property? { slot(named: name).map { properties[$0] } }

    /// Whether objects of this entity are also of the entity with the given name.
    public func isKind(of name: String) -> Bool { self.name == name || ancestors.contains(name) }
}
