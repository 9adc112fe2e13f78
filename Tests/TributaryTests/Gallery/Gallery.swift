import TestSupport
import Tributary
import TributaryMigration
import TributaryStore

/// A model with an attribute of every type.
enum Gallery {
    static let classes: [ManagedObject.Type] = [Exhibit.self]
    static let transformers: TransformerRegistry = ["ShapeTransformer": ShapeTransformer()]

    /// Whether large photos lie outside the store is the model's business, and no matter of the log.
    static func model(hasExternalStorage: Bool = true) throws -> Model {
        var exhibit = EntityDefinition(name: "Exhibit")
        let types: [(String, AttributeType)] = [
            ("title", .string), ("small", .integer16), ("medium", .integer32), ("large", .integer64),
            ("shown", .boolean), ("seen", .date), ("raw", .binary), ("photo", .binary), ("shape", .transformable),
            ("ratio", .double), ("share", .float), ("price", .decimal), ("code", .uuid), ("home", .uri),
            ("address", .composite), ("mood", .undefined),
        ]
        exhibit.attributes = types.map { name, type in
            var attribute = Attribute(name: name, type: type)
            attribute.isOptional = true
            if name == "mood" { attribute.isTransient = true }
            if name == "shape" { attribute.valueTransformerName = "ShapeTransformer" }
            if name == "address" { attribute.compositeName = "Address" }
            if name == "photo" { attribute.allowsExternalBinaryStorage = hasExternalStorage }
            return attribute
        }
        var next = Relationship(name: "next", destination: "Exhibit", inverse: "previous")
        next.isOptional = true
        var previous = Relationship(name: "previous", destination: "Exhibit", inverse: "next")
        previous.isOptional = true
        previous.isToMany = true
        exhibit.relationships = [next, previous]
        return try Model(version: "1", entities: [exhibit], composites: ["Address": address, "Geo": geo])
    }

    static func open() async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("gallery")
        return (folder, try await open(folder))
    }

    static func open(
        _ folder: TemporaryFolder,
        name: String = "gallery",
        hasExternalStorage: Bool = true
    ) async throws -> PersistentContainer {
        try await open(at: folder.path, name: name, hasExternalStorage: hasExternalStorage)
    }

    static func open(
        at path: String,
        name: String = "gallery",
        hasExternalStorage: Bool = true
    ) async throws -> PersistentContainer {
        try await PersistentContainer.open(
            at: "\(path)/\(name).sqlite",
            "gallery",
            model: model(hasExternalStorage: hasExternalStorage),
            classes: classes,
            transformers: transformers,
            migrator: Migrator()
        )
    }

    private static let address: [Attribute] = {
        let types: [(String, AttributeType)] = [
            ("street", .string), ("number", .integer32), ("open", .boolean), ("since", .date), ("code", .uuid),
            ("rent", .decimal),
        ]
        var members = types.map { name, type in optional(Attribute(name: name, type: type)) }
        var geo = optional(Attribute(name: "geo", type: .composite))
        geo.compositeName = "Geo"
        members.append(geo)
        return members
    }()

    private static let geo = [
        Attribute(name: "latitude", type: .double), Attribute(name: "longitude", type: .double),
    ]

    private static func optional(_ attribute: Attribute) -> Attribute {
        var attribute = attribute
        attribute.isOptional = true
        return attribute
    }
}
