import Foundation

extension Model {
    /// Reads a model from an `.xcdatamodeld` or `.xcdatamodel` folder, or from a `.yaml` file.
    ///
    /// Of a folder with several versions it is the current one, which `.xccurrentversion` names.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public init(contentsOf path: String) throws(ModelError) {
        self = try ModelFile(path).current()
    }

    /// Reads all versions of a model: the versions of an `.xcdatamodeld` in the Finder's order of names, or the only
    /// one.
    ///
    /// Segments of writers with older versions have former names; see ``Attribute/renamingIdentifier``.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public static func versions(contentsOf path: String) throws(ModelError) -> [Model] {
        try ModelFile(path).versions()
    }

    /// Reads the XML of one version: the text of the file `contents` of an `.xcdatamodel`.
    ///
    /// - Parameters:
    ///   - xml: The text, up to 16 MiB.
    ///   - version: The version's name; in an `.xcdatamodeld`, the name of the version's folder.
    /// - Throws: ``ModelError`` with line and element.
    public init(xml: String, version: String = "1") throws(ModelError) {
        try self.init(xml: xml, version: version, file: nil)
    }

    /// Reads the text of a YAML model; the article *YAML models* describes the format.
    ///
    /// ```swift
    /// let model = try Model(yaml: """
    ///     version: "1"
    ///     entities:
    ///       Employee: {attributes: {name: String}}
    ///     """)
    /// ```
    ///
    /// - Parameter yaml: The text, up to 16 MiB.
    /// - Throws: ``ModelError`` with line and element.
    public init(yaml: String) throws(ModelError) {
        try self.init(yaml: yaml, file: nil)
    }

    /// Reads the XML of one version.
    package init(xml: String, version: String = "1", file: String?) throws(ModelError) {
        self = try XCDataModelReader.read(Data(xml.utf8), version: version, file: file)
    }

    /// Reads the text of a YAML model; `file` is the file's name in errors.
    package init(yaml: String, file: String?) throws(ModelError) {
        self = try YAMLModelReader.read(yaml, file: file)
    }
}
