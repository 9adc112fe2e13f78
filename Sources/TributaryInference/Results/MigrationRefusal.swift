/// A difference between two versions of a model that no inferred migration can bridge.
public struct MigrationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the newer version.
    public var entity: String
    /// The property; nil when the refusal is about the entity itself.
    public var property: String?
    /// The name or the setting in the older version.
    public var from: String
    /// The name or the setting in the newer version.
    public var to: String
    /// The reason why the mapping cannot be inferred.
    public var reason: String
    /// The remedy.
    public var help: String

    /// The difference, the reason and the remedy as one sentence.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        return "\(name), from \(from) to \(to): \(reason); \(help)"
    }
}
