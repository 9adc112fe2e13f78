/// A difference between two versions of a model that cannot be carried out without help.
public struct MigrationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the newer version.
    public var entity: String
    /// The property, nil when it is about the entity itself.
    public var property: String?
    /// What it was.
    public var from: String
    /// What it is to become.
    public var to: String
    /// Why it cannot be inferred.
    public var reason: String
    /// What helps.
    public var help: String

    /// The refusal in words: what, from what to what, why, and what helps.
    public var description: String {
        let name = property.map { "\(entity).\($0)" } ?? entity
        return "\(name), from \(from) to \(to): \(reason); \(help)"
    }
}
