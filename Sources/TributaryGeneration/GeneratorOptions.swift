package struct GeneratorOptions: Sendable {
    /// The name of the type that lists the model's classes.
    package var listName: String
    package var access: AccessLevel
    /// Whether transformable attributes have the type that the model names, which the program must make conform to
    /// `FieldValue`; otherwise their type is `Data`.
    package var usesTransformableClasses: Bool
    /// The command that the header comment of each file names.
    package var command: String

    package init(
        listName: String,
        access: AccessLevel = .internal,
        usesTransformableClasses: Bool = false,
        command: String
    ) {
        self.listName = listName
        self.access = access
        self.usesTransformableClasses = usesTransformableClasses
        self.command = command
    }
}

package enum AccessLevel: String, Sendable, CaseIterable {
    case `internal`
    case `public`

    /// The text before a declaration.
    var prefix: String { self == .public ? "public " : "" }
}
