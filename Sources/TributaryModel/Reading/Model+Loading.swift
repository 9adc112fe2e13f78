import Foundation

extension Model {
    /// Reads a model from an `.xcdatamodeld` or `.xcdatamodel` folder, or a `.yaml` file.
    ///
    /// Of a folder with several versions it is the current one, the one that `.xccurrentversion` names.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public init(contentsOf path: String) throws(ModelError) {
        self = try ModelFile(path).current()
    }

    /// All versions of a model: those of an `.xcdatamodeld` sorted by name as the Finder does, otherwise the only one.
    ///
    /// Writers with older versions use their names; see ``Attribute/renamingIdentifier``.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public static func versions(contentsOf path: String) throws(ModelError) -> [Model] {
        try ModelFile(path).versions()
    }

    /// Reads the XML of one version: the text of the file `contents` of an `.xcdatamodel`.
    ///
    /// - Parameters:
    ///   - xml: up to 16 MiB.
    ///   - version: the version's name; an `.xcdatamodeld` has it as the name of the version's folder.
    /// - Throws: ``ModelError`` with line and element.
    public init(xml: String, version: String = "1") throws(ModelError) {
        try self.init(xml: xml, version: version, file: nil)
    }

    /// Reads the text of a YAML model; the format is told in the article *YAML models*.
    ///
    /// ```swift
    /// let model = try Model(yaml: """
    ///     version: "1"
    ///     entities:
    ///       Employee: {attributes: {name: String}}
    ///     """)
    /// ```
    ///
    /// - Parameter yaml: up to 16 MiB.
    /// - Throws: ``ModelError`` with line and element.
    public init(yaml: String) throws(ModelError) {
        try self.init(yaml: yaml, file: nil)
    }

    /// Reads the XML of one version; `file` is for messages.
    package init(xml: String, version: String = "1", file: String?) throws(ModelError) {
        self = try XCDataModelReader.read(Data(xml.utf8), version: version, file: file)
    }

    /// Reads the text of a YAML model; `file` is for messages.
    package init(yaml: String, file: String?) throws(ModelError) {
        self = try YAMLModelReader.read(yaml, file: file)
    }
}
