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

    /// Reads the XML of one version, the file `contents` of an `.xcdatamodel`.
    package init(xml: String, version: String = "1", file: String? = nil) throws(ModelError) {
        self = try XCDataModelReader.read(Data(xml.utf8), version: version, file: file)
    }

    /// Reads the text of a YAML model.
    package init(yaml: String, file: String? = nil) throws(ModelError) {
        self = try YAMLModelReader.read(yaml, file: file)
    }
}
