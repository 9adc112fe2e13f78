import TestSupport
import Tributary
import TributaryStore

/// A model with an attribute of every type.
enum Gallery {
    static let classes: [ManagedObject.Type] = [Exhibit.self]
    static let transformers: TransformerRegistry = ["ShapeTransformer": ShapeTransformer()]

    /// Whether large photos lie outside the store is the model's business, and no matter of the log.
    static func model(hasExternalStorage: Bool = true) throws -> Model {
        let exhibit = """
            Exhibit:
              attributes:
                title: String?
                small: Integer 16?
                medium: Integer 32?
                large: Integer 64?
                shown: Boolean?
                seen: Date?
                raw: Binary?
                photo: {type: Binary, optional: true, external: \(hasExternalStorage)}
                shape: {type: Transformable, optional: true, transformer: ShapeTransformer}
                ratio: Double?
                share: Float?
                price: Decimal?
                code: UUID?
                home: URI?
                address: {composite: Address, optional: true}
                mood: {type: Undefined, optional: true, transient: true}
              relationships:
                next: {to: Exhibit?, inverse: previous}
                previous: {to: Exhibit, many: true, inverse: next}
            """
        let composites = """
            composites:
              Address:
                street: String?
                number: Integer 32?
                open: Boolean?
                since: Date?
                code: UUID?
                rent: Decimal?
                geo: {composite: Geo, optional: true}
              Geo: {latitude: Double, longitude: Double}
            """
        return try Model(entities: exhibit, composites)
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
            transformers: transformers
        )
    }
}
