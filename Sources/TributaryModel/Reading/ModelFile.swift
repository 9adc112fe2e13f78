import Foundation
import Glibc
import TributaryChanges

struct ModelFile {
    static let maximumBytes = 16 * 1024 * 1024
    private enum Kind {
        case versions
        case version
        case yaml
    }

    private let path: String
    private let kind: Kind

    init(_ path: String) throws(ModelError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            _ = try ModelFile.exists(path)
            throw ModelError("no such file or folder", file: path)
        }
        switch ((path as NSString).pathExtension, isFolder.boolValue) {
        case ("xcdatamodeld", true): kind = .versions
        case ("xcdatamodel", true): kind = .version
        case ("yaml", false), ("yml", false): kind = .yaml
        case ("mom", _), ("momd", _):
            throw ModelError("this is a compiled model; give the .xcdatamodeld that it was made from", file: path)
        case ("xcdatamodel", false): throw ModelError.binaryModel(file: path)
        default:
            throw ModelError("a model is an .xcdatamodeld or .xcdatamodel folder, or a .yaml file", file: path)
        }
    }

    func current() throws(ModelError) -> Model {
        switch kind {
        case .versions: try readCurrent()
        case .version: try ModelFile.readVersion(path)
        case .yaml: try readYAML()
        }
    }

    func versions() throws(ModelError) -> [Model] {
        switch kind {
        case .versions:
            var models: [Model] = []
            for name in try versionNames() { models.append(try ModelFile.readVersion("\(path)/\(name)")) }
            return models
        case .version, .yaml: return [try current()]
        }
    }

    func currentFiles() throws(ModelError) -> [String] {
        switch kind {
        case .versions: try ["\(path)/.xccurrentversion", currentVersion() + "/contents"]
        case .version: ["\(path)/contents"]
        case .yaml: [path]
        }
    }

    // MARK: Versions

    private func versionNames() throws(ModelError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            let code = FileFailure.code(of: error)
            let reason = code.map { String(cString: strerror($0)) } ?? error.localizedDescription
            var failure = ModelError("the folder cannot be read: \(reason)", file: path)
            failure.code = code
            throw failure
        }
        let versions = names.filter { ($0 as NSString).pathExtension == "xcdatamodel" }
        guard !versions.isEmpty else { throw ModelError("the folder has no .xcdatamodel", file: path) }
        return versions.sorted { ModelVersions.areInOrder(ModelFile.versionName($0), ModelFile.versionName($1)) }
    }

    private func readCurrent() throws(ModelError) -> Model {
        let current = try currentVersion()
        var model = try ModelFile.readVersion(current)
        let names = try versionNames()
        guard let index = names.firstIndex(where: { "\(path)/\($0)" == current }) else { return model }
        model.earlier = others(Array(names[..<index]))
        model.later = others(Array(names[(index + 1)...]))
        return model
    }

    private func others(_ names: [String]) -> ModelVersions {
        let path = path
        return ModelVersions(names: names.map(ModelFile.versionName)) {
            { try ModelFile.readVersion("\(path)/\(names[$0])") }
        }
    }

    private func currentVersion() throws(ModelError) -> String {
        let names = try versionNames()
        let pointer = "\(path)/.xccurrentversion"
        let bytes = try ModelFile.exists(pointer) ? ModelFile.readBytes(pointer) : Data()
        let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        // A pointer without content is treated as missing.
        guard !bytes.isEmpty, list?.isEmpty != true else {
            guard let name = names.first, names.count == 1 else {
                throw ModelError(
                    "there are \(names.count) versions, and no .xccurrentversion names the current version",
                    file: path
                )
            }
            return "\(path)/\(name)"
        }
        guard let name = list?["_XCCurrentVersionName"] as? String else {
            throw ModelError("it is not a property list with _XCCurrentVersionName", file: pointer)
        }
        guard names.contains(name) else {
            throw ModelError("it names '\(name)', which does not exist", file: pointer)
        }
        return "\(path)/\(name)"
    }

    private static func readVersion(_ folder: String) throws(ModelError) -> Model {
        let contents = "\(folder)/contents"
        guard try exists(contents) else {
            if try exists("\(folder)/elements") {
                throw ModelError.binaryModel(file: folder)
            }
            throw ModelError("the folder lacks the file 'contents'", file: folder)
        }
        return try XCDataModelReader.read(try readBytes(contents), version: versionName(folder), file: contents)
    }

    private static func versionName(_ folder: String) -> String {
        ((folder as NSString).lastPathComponent as NSString).deletingPathExtension
    }

    private func readYAML() throws(ModelError) -> Model {
        try YAMLModelReader.read(try ModelFile.readText(path), file: path)
    }

    func texts() throws(ModelError) -> [ModelText] {
        var folders = [path]
        switch kind {
        case .yaml: return [ModelText(text: try ModelFile.readText(path), xmlVersion: nil)]
        case .version: break
        case .versions:
            let current = try currentVersion()
            folders = try versionNames().map { "\(path)/\($0)" }
            folders.removeSubrange((folders.firstIndex(of: current).map { $0 + 1 } ?? folders.count)...)
        }
        var texts: [ModelText] = []
        for folder in folders {
            let text = try ModelFile.readText("\(folder)/contents")
            texts.append(ModelText(text: text, xmlVersion: ModelFile.versionName(folder)))
        }
        return texts
    }

    private static func readText(_ file: String) throws(ModelError) -> String {
        guard let text = String(data: try readBytes(file), encoding: .utf8) else {
            throw ModelError("the file is not UTF-8", file: file)
        }
        return text
    }

    static func readBytes(_ file: String) throws(ModelError) -> Data {
        do throws(FileFailure) {
            return Data(try FileFailure.bytes(of: file, limit: maximumBytes))
        } catch {
            throw error.code == EFBIG ? ModelError("the file is over 16 MiB", file: file) : unreadable(error)
        }
    }

    private static func exists(_ path: String) throws(ModelError) -> Bool {
        do throws(FileFailure) {
            return try FileFailure.exists(path)
        } catch {
            throw unreadable(error)
        }
    }

    private static func unreadable(_ failure: FileFailure) -> ModelError {
        var error = ModelError("the file cannot be read: \(failure.reason)", file: failure.path)
        error.code = failure.code
        return error
    }
}

package struct ModelText: Sendable, Hashable {
    package var text: String
    package var xmlVersion: String?
}

package struct ModelFileContents: Sendable, Hashable {
    private let files: [String: Data]

    package init(ofModelAt path: String) {
        var files: [String: Data] = [:]
        for file in (try? ModelFile(path).currentFiles()) ?? [] {
            files[file] = try? ModelFile.readBytes(file)
        }
        self.files = files
    }
}

extension Model {
    /// Reads a model from an `.xcdatamodeld` or `.xcdatamodel` folder, or from a `.yaml` file.
    ///
    /// In a folder with several versions it reads the current version, which `.xccurrentversion` names.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public init(contentsOf path: String) throws(ModelError) {
        self = try ModelFile(path).current()
    }

    /// Reads all versions of a model: the versions of an `.xcdatamodeld` in the Finder's order of names, or the only
    /// version.
    ///
    /// Segments of writers with older versions have former names; see ``Attribute/renamingIdentifier``.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public static func versions(contentsOf path: String) throws(ModelError) -> [Model] {
        try ModelFile(path).versions()
    }

    /// Reads the XML of a version: the text of the file `contents` of an `.xcdatamodel`.
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

    package init(xml: String, version: String = "1", file: String?) throws(ModelError) {
        self = try XCDataModelReader.read(Data(xml.utf8), version: version, file: file)
    }

    package init(yaml: String, file: String?) throws(ModelError) {
        self = try YAMLModelReader.read(yaml, file: file)
    }

    /// The current version comes last; later versions are left out.
    package static func texts(contentsOf path: String) throws(ModelError) -> [ModelText] {
        try ModelFile(path).texts()
    }

    /// Returns this model as the successor of older versions, the oldest first, for models that are not in an
    /// `.xcdatamodeld`.
    ///
    /// ```swift
    /// let model = try Model(contentsOf: "company-3.yaml").succeeding([
    ///     try Model(contentsOf: "company-1.yaml"), try Model(contentsOf: "company-2.yaml"),
    /// ])
    /// ```
    public func succeeding(_ earlier: [Model]) -> Model {
        var model = self
        model.earlier = ModelVersions(earlier)
        return model
    }
}
