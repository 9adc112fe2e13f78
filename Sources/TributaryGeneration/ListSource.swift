import TributaryModel

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
