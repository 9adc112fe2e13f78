package struct GeneratedFile: Sendable, Hashable {
    /// The file's name, without a folder.
    package var name: String
    package var text: String
}
