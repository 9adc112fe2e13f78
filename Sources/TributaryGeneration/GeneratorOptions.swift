/// What a caller may choose about the generated files.
package struct GeneratorOptions: Sendable {
    /// The name of the type that lists the classes.
    package var listName: String
    package var access: AccessLevel
    /// Whether transformable attributes have the type that the model names, which the program makes a `FieldValue`;
    /// otherwise they are `Data`.
    package var usesTransformableClasses: Bool
    /// The command that the files' heads tell.
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
