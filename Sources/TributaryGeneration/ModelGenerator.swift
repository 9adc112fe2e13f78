package import TributaryModel

/// Generates the Swift files of a model: a class with a snapshot for each entity, a value type for each composite, and
/// a list of the classes.
///
/// Equal models and options give equal bytes.
package struct ModelGenerator: Sendable {
    private let model: Model
    private let options: GeneratorOptions

    package init(_ model: Model, options: GeneratorOptions) {
        self.model = model
        self.options = options
    }

    package func files() -> [GeneratedFile] {
        let names = TypeNames(model, listName: options.listName)
        var files: [GeneratedFile] = []
        for entity in model.entities {
            let source = ClassSource(entity: entity, model: model, names: names, options: options)
            files.append(file(names.classes[entity.name] ?? entity.name, source.lines))
        }
        for (name, attributes) in model.composites {
            let source = CompositeSource(name: name, attributes: attributes, names: names, options: options)
            files.append(file(names.composites[name] ?? name, source.lines))
        }
        files.append(file(names.list, ListSource(model: model, names: names, options: options).lines))
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

    var prefix: String { self == .public ? "public " : "" }
}

package struct GeneratedFile: Sendable, Hashable {
    /// The file's name, without a folder.
    package var name: String
    package var text: String
}

struct ListSource {
    let model: Model
    let names: TypeNames
    let options: GeneratorOptions

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
            "    /// The hash of the model that the classes were made from; that of a loaded model tells whether they fit.",
            "    \(access)static let versionHash = \"\(model.versionHash)\"",
            "}",
        ]
    }
}
