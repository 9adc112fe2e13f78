import TributaryChanges

/// An entity of a model with its inherited properties resolved.
///
/// Each property has an index, called its *property index*. Inherited properties come first, so that a property has one
/// property index in the entity and in all of its sub-entities. Within an entity attributes come before relationships,
/// both sorted by name.
public final class Entity: Sendable {
    let definition: EntityDefinition
    /// The name of the entity and of its table or view in the store.
    public let name: String
    /// The name of the class of its objects, as in the model.
    public var className: String? { definition.className }
    /// Whether only the sub-entities have objects.
    public let isAbstract: Bool
    /// The entity that passes its properties on to this entity.
    public var parent: String? { definition.parent }
    /// The entity at the top of the inheritance hierarchy; its name is the name of the table.
    public let root: String
    /// The parent, the parent's parent and so on, up to the root.
    public let ancestors: [String]
    /// All entities that inherit from this entity, directly or not, sorted by name.
    public let subentities: [String]
    /// The attributes that the entity declares itself, sorted by name.
    public let attributes: [Attribute]
    /// The relationships that the entity declares itself, sorted by name.
    public let relationships: [Relationship]
    /// The names of the properties that the entity declares itself, in the order of the model file, attributes first.
    public var declaredNames: [String] { definition.attributes.map(\.name) + definition.relationships.map(\.name) }
    let ownProperties: [Property]
    /// All properties, inherited properties first; the index of a property is its property index.
    public let properties: [Property]
    /// Sets of properties that no two objects may share, including inherited sets.
    public let uniquenessConstraints: [[String]]
    /// The indexes that the model asks for, including inherited indexes.
    public let fetchIndexes: [FetchIndex]
    /// The entity's name in the previous model version.
    public var renamingIdentifier: String? { definition.renamingIdentifier }
    /// A text that changes the version hash, for a change that the rest of the model does not show.
    public var versionHashModifier: String? { definition.versionHashModifier }
    /// Further information about the entity by key, as in the model.
    public var userInfo: [String: String] { definition.userInfo }
    private let propertyIndexes: [String: Int]

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
        self.definition = definition
        (name, isAbstract) = (definition.name, definition.isAbstract)
        self.root = root
        self.ancestors = ancestors
        self.subentities = subentities
        self.ownProperties = ownProperties
        attributes = ownProperties.compactMap(\.attribute)
        relationships = ownProperties.compactMap(\.relationship)
        self.properties = properties
        self.uniquenessConstraints = uniquenessConstraints
        self.fetchIndexes = fetchIndexes
        propertyIndexes = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
    }

    /// The property index of the property with the given name, inherited or not; nil for an unknown name.
    ///
    /// Two names are equal when their Unicode scalars are equal.
    public func propertyIndex(named name: String) -> Int? { propertyIndexes[identical: name] }

    /// The property index of the property with the given name, inherited or not; nil for an unknown name.
    @available(*, deprecated, renamed: "propertyIndex(named:)")
    public func slot(named name: String) -> Int? { propertyIndex(named: name) }

    /// The property with the given name, inherited or not; nil for an unknown name.
    public func property(named name: String) -> Property? { propertyIndex(named: name).map { properties[$0] } }

    /// Whether objects of this entity are also objects of the entity with the given name.
    public func isKind(of name: String) -> Bool { self.name == name || ancestors.contains(name) }
}

extension Entity {
    package static func unknown(named name: String) -> Entity {
        Entity(
            definition: EntityDefinition(name: name),
            root: name,
            ancestors: [],
            subentities: [],
            ownProperties: [],
            properties: [],
            uniquenessConstraints: [],
            fetchIndexes: []
        )
    }
}

/// An entity as a model file has it, before names are resolved.
public struct EntityDefinition: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The name of the class of its objects.
    public var className: String?
    /// Whether only the sub-entities have objects.
    public var isAbstract = false
    /// The entity that passes its properties on to this entity.
    public var parent: String?
    /// Its own attributes.
    public var attributes: [Attribute] = []
    /// Its own relationships.
    public var relationships: [Relationship] = []
    /// Sets of properties that no two objects may share.
    public var uniquenessConstraints: [[String]] = []
    /// The indexes that the model asks for.
    public var fetchIndexes: [FetchIndex] = []
    /// The entity's name in the previous model version.
    public var renamingIdentifier: String?
    /// A text that changes the version hash, for a change that the rest of the model does not show.
    public var versionHashModifier: String?
    /// Further information about the entity by key, as in the model.
    public var userInfo: [String: String] = [:]

    /// Creates an entity without properties.
    public init(name: String) {
        self.name = name
    }
}

/// An index that the store has for fetches.
public struct FetchIndex: Sendable, Hashable {
    /// A property of the index and its order.
    public struct Element: Sendable, Hashable {
        /// A stored attribute or a to-one relationship.
        public var property: String
        /// Whether the least values come first.
        public var isAscending: Bool

        /// Creates an element of an index; the order is ascending by default.
        public init(_ property: String, ascending: Bool = true) {
            self.property = property
            isAscending = ascending
        }

        init(signedName name: String) {
            property = name.hasPrefix("-") ? String(name.dropFirst()) : name
            isAscending = !name.hasPrefix("-")
        }

        var signedName: String { isAscending ? property : "-\(property)" }
    }

    /// The name in the model.
    public var name: String
    /// The properties, the most significant first.
    public var elements: [Element]

    /// Creates an index of properties.
    public init(name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }
}
