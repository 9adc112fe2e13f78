/// A key of a class that represents no property of the class's entity.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    /// The class that declares the key.
    public var className: String
    /// The entity of the class.
    public var entity: String
    /// The key as it is declared: `Field<String>("name")`.
    public var field: String
    /// The problem and its remedy.
    public var reason: String

    init(_ field: any DeclaredField, in descriptor: EntityDescriptor, reason: String) {
        className = "\(descriptor.type)"
        entity = descriptor.entity.name
        // `Field<String>`, without the module.
        self.field = "\(type(of: field))(\"\(field.name)\")"
        self.reason = reason
    }

    /// The class, the key, the entity and the problem.
    public var description: String {
        "\(field) of the class \(className) does not fit the entity '\(entity)': \(reason)"
    }
}
