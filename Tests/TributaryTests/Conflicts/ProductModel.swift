import Tributary

/// Products with unique keys, a sub-entity that shares them, and orders of products.
enum ProductModel {
    static func make() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Product:
                    attributes: {code: String?, country: String?, serial: String?, title: String?, maker: String?}
                    unique: [code, [country, serial]]
                  Bundle: {parent: Product}
                  Order: {relationships: {item: {to: Product?}}}
                """
        )
    }
}
