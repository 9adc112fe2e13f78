package import TributaryModel

/// Equal models and options give equal bytes.
package struct ModelGenerator: Sendable {
    private let model: Model
    private let options: GeneratorOptions

    package init(_ model: Model, options: GeneratorOptions) {
        self.model = model
        self.options = options
    }

    package func files() -> [GeneratedFile] {
        declarations(embedding: nil).map { file($0.name, $0.lines) }
    }

    /// One file with the model itself, for a build that has to know its name before the model is read.
    package func wholeFile(named name: String, embedding source: ModelSource) -> GeneratedFile {
        var imports: Set<String> = []
        var body: [String] = []
        for file in declarations(embedding: source) {
            let start = file.lines.firstIndex { !$0.contains("import ") } ?? file.lines.endIndex
            imports.formUnion(file.lines[..<start])
            body += file.lines[start...]
        }
        return self.file(name, imports.sorted() + body)
    }

    private func declarations(embedding source: ModelSource?) -> [(name: String, lines: [String])] {
        let names = TypeNames(model, listName: options.listName, ownClasses: options.ownClasses)
        var files: [(name: String, lines: [String])] = []
        for entity in model.entities {
            let source = ClassSource(entity: entity, model: model, names: names, options: options)
            files.append((names.made(forEntity: entity.name), source.lines))
        }
        for (name, attributes) in model.composites {
            let source = CompositeSource(name: name, attributes: attributes, names: names, options: options)
            files.append((names.composites[name] ?? name, source.lines))
        }
        files.append((names.list, ListSource(model: model, names: names, options: options, source: source).lines))
        return files.sorted { $0.name < $1.name }
    }

    private func file(_ name: String, _ lines: [String]) -> GeneratedFile {
        let head = [
            "// Made by `\(SwiftName.comment(options.command))`; changes are lost when it runs again.",
            "// swift-format-ignore-file",
            "",
        ]
        return GeneratedFile(name: "\(name).swift", text: (head + lines).joined(separator: "\n") + "\n")
    }
}

package struct GeneratorOptions: Sendable {
    package var listName: String
    package var access: AccessLevel
    /// Otherwise transformable attributes have the type `Data`; the program must make its types conform to
    /// `FieldValue`.
    package var usesTransformableClasses: Bool
    /// The program writes these classes itself, as in `class Employee: EmployeeBase`.
    package var ownClasses: Set<String>
    package var command: String

    package init(
        listName: String,
        access: AccessLevel = .internal,
        usesTransformableClasses: Bool = false,
        ownClasses: Set<String> = [],
        command: String
    ) {
        self.listName = listName
        self.access = access
        self.usesTransformableClasses = usesTransformableClasses
        self.ownClasses = ownClasses
        self.command = command
    }
}

package enum AccessLevel: String, Sendable, CaseIterable {
    case `internal`
    case `public`

    var prefix: String { self == .public ? "public " : "" }
}

package struct GeneratedFile: Sendable, Hashable {
    package var name: String
    package var text: String
}

struct ListSource {
    let model: Model
    let names: TypeNames
    let options: GeneratorOptions
    let source: ModelSource?

    var lines: [String] {
        let access = options.access.prefix
        let classes = model.entities.map { "        \(names.type(ofEntity: $0.name)).self," }
        let manager = names.library("ManagedObject")
        return [
            "\(access)import Tributary",
            "",
            "/// The classes of the model, for `PersistentContainer`.",
            "\(access)enum \(SwiftName.escaped(names.list)) {",
            "    /// A class for each entity.",
            "    \(access)static let classes: [\(manager).Type] = [",
        ] + classes + [
            "    ]",
            "    /// The version of the model that the classes were made from.",
            "    \(access)static let version = \(SwiftName.literal(model.version))",
            "    /// The hash of the model that the classes were made from; they fit a loaded model with this hash.",
            "    \(access)static let versionHash = \"\(model.versionHash)\"",
        ] + embedded + ["}"]
    }

    private var embedded: [String] {
        guard let source else { return [] }
        let type = names.library("Model")
        return [
            "",
            "    /// The model that the classes were made from, with its earlier versions, read from the text below.",
            "    \(options.access.prefix)static func model() throws -> \(type) {",
        ] + source.body(type).map { "        " + $0 } + ["    }"]
    }
}
