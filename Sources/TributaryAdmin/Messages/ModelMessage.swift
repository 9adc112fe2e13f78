/// The response of `GET /v1/model`: each entity with the properties that it declares.
package struct ModelMessage: Codable, Hashable, Sendable {
    package struct Attribute: Codable, Hashable, Sendable {
        package var name: String
        package var type: String
        package var optional: Bool

        package init(name: String, type: String, optional: Bool) {
            self.name = name
            self.type = type
            self.optional = optional
        }
    }

    package struct Relationship: Codable, Hashable, Sendable {
        package var name: String
        package var destination: String
        package var toMany: Bool
        package var ordered: Bool
        package var inverse: String?
        package var deleteRule: String

        package init(
            name: String,
            destination: String,
            toMany: Bool,
            ordered: Bool,
            inverse: String?,
            deleteRule: String
        ) {
            self.name = name
            self.destination = destination
            self.toMany = toMany
            self.ordered = ordered
            self.inverse = inverse
            self.deleteRule = deleteRule
        }
    }

    package struct Entity: Codable, Hashable, Sendable {
        package var name: String
        package var abstract: Bool
        package var parent: String?
        package var attributes: [Attribute]
        package var relationships: [Relationship]

        package init(
            name: String,
            abstract: Bool,
            parent: String?,
            attributes: [Attribute],
            relationships: [Relationship]
        ) {
            self.name = name
            self.abstract = abstract
            self.parent = parent
            self.attributes = attributes
            self.relationships = relationships
        }
    }

    package var version: String
    package var entities: [Entity]

    package init(version: String, entities: [Entity]) {
        self.version = version
        self.entities = entities
    }
}
