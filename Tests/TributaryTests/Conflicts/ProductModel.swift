import Tributary

/// Products with unique keys, a sub-entity that shares them, and orders of products.
enum ProductModel {
    static func make() throws -> Model {
        try Model(
            entities: """
                Product:
                  attributes: {code: String?, country: String?, serial: String?, title: String?, maker: String?}
                  unique: [code, [country, serial]]
                Bundle: {parent: Product}
                Order: {relationships: {item: {to: Product?}}}
                """
        )
    }

    static func titles(_ container: PersistentContainer) async throws -> [String] {
        try await container.performBackgroundTask { try titles($0) }
    }

    static func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest("Product", sortKeys: [SortKey("title")])).map { try $0.text("title") }
    }
}
