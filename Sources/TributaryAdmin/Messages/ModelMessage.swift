package import TributaryModel

/// The response of `GET /v1/model`: each entity with the properties that it declares.
package struct ModelMessage: Codable, Hashable, Sendable {
    package struct Attribute: Codable, Hashable, Sendable {
        package var name: String
        package var type: String
        package var optional: Bool
    }

    package struct Relationship: Codable, Hashable, Sendable {
        package var name: String
        package var destination: String
        package var toMany: Bool
        package var ordered: Bool
        package var inverse: String?
        package var deleteRule: String
    }

    package struct Entity: Codable, Hashable, Sendable {
        package var name: String
        package var abstract: Bool
        package var parent: String?
        package var attributes: [Attribute]
        package var relationships: [Relationship]
    }

    package var version: String
    package var entities: [Entity]

    package init(_ model: Model) {
        version = model.version
        entities = model.entities.map { entity in
            Entity(
                name: entity.name,
                abstract: entity.isAbstract,
                parent: entity.parent,
                attributes: entity.attributes.map {
                    Attribute(name: $0.name, type: $0.type.rawValue, optional: $0.isOptional)
                },
                relationships: entity.relationships.map {
                    Relationship(
                        name: $0.name,
                        destination: $0.destination,
                        toMany: $0.isToMany,
                        ordered: $0.isOrdered,
                        inverse: $0.inverse,
                        deleteRule: $0.deleteRule.rawValue
                    )
                }
            )
        }
    }
}
