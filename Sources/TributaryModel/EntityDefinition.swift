/// An entity as a model file states it, before names are resolved.
public struct EntityDefinition: Sendable, Hashable {
    public var name: String
    public var className: String?
    public var isAbstract = false
    public var parent: String?
    public var attributes: [Attribute] = []
    public var relationships: [Relationship] = []
    public var uniquenessConstraints: [[String]] = []
    public var fetchIndexes: [FetchIndex] = []
    public var renamingIdentifier: String?
    public var userInfo: [String: String] = [:]

    /// An entity without properties.
    public init(name: String) {
        self.name = name
    }
}
