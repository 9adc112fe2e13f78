/// An entity as a model file has it, before names are resolved.
public struct EntityDefinition: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The name of the class of its objects.
    public var className: String?
    /// Whether the entity has no objects of its own, only those of its sub-entities.
    public var isAbstract = false
    /// The entity whose properties it inherits.
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
    /// Further information about the entity by key, as the model states it.
    public var userInfo: [String: String] = [:]

    /// Creates an entity without properties.
    public init(name: String) {
        self.name = name
    }
}
