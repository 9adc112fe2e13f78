/// An entity as a model file states it, before names are resolved.
public struct EntityDefinition: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The name of the class that represents it.
    public var className: String?
    /// Whether there are objects of its sub-entities only.
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
    /// The name the entity had in the model version before.
    public var renamingIdentifier: String?
    /// Words that make the version hash another one, for a change that the model does not show.
    public var versionHashModifier: String?
    /// Further words of the model about it.
    public var userInfo: [String: String] = [:]

    /// An entity without properties.
    public init(name: String) {
        self.name = name
    }
}
