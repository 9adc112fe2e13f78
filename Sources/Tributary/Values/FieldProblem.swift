/// A key of a class that stands for no property of the class's entity.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    /// The class whose objects were to be read through the key.
    public var className: String
    /// The entity of the class.
    public var entity: String
    /// The key as it is declared: `Field<String>("name")`.
    public var field: String
    /// What is wrong, and what helps.
    public var reason: String

    init(_ field: any DeclaredField, in kind: ObjectKind, reason: String) {
        className = "\(kind.type)"
        entity = kind.entity.name
        // `Field<String>`, without the module.
        self.field = "\(type(of: field))(\"\(field.name)\")"
        self.reason = reason
    }

    /// Class, key, entity and what is wrong.
    public var description: String {
        "\(field) of the class \(className) does not fit the entity '\(entity)': \(reason)"
    }
}
