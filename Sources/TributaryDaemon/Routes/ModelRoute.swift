import Hummingbird
import Tributary
import TributaryAdmin
import TributaryModel

/// `GET /v1/model`: the model, each entity with the properties that it declares.
enum ModelRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        try .json(message(of: try request.engine().container.model))
    }

    private static func message(of model: Model) -> ModelMessage {
        ModelMessage(
            version: model.version,
            entities: model.entities.map { entity in
                ModelMessage.Entity(
                    name: entity.name,
                    abstract: entity.isAbstract,
                    parent: entity.parent,
                    attributes: entity.attributes.map {
                        ModelMessage.Attribute(name: $0.name, type: $0.type.rawValue, optional: $0.isOptional)
                    },
                    relationships: entity.relationships.map {
                        ModelMessage.Relationship(
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
        )
    }
}
