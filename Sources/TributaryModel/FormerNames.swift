/// The names that the entities and properties of a model had in older versions.
///
/// Writers with an older version use them (SEMANTICS B: names resolve through all known model versions and renaming
/// identifiers). A name that the model itself has always means that.
package struct FormerNames: Sendable {
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]

    /// Each list of `histories` has older versions, the oldest first, and is followed to the model by itself.
    package init(of model: Model, histories: [[Model]] = []) {
        for entity in model.entities {
            note(entity: entity.name, for: entity.renamingIdentifier, model)
            for property in entity.properties {
                note(property: property.name, for: property.renamingIdentifier, of: entity)
            }
        }
        for history in histories {
            for (index, old) in history.enumerated() {
                let mapping = ModelMapping(from: old, through: Array(history.dropFirst(index + 1)), to: model)
                for entity in model.entities {
                    note(entity: entity.name, for: mapping.entities[entity.name], model)
                    for property in entity.properties {
                        note(property: property.name, for: mapping.property(property.name, of: entity.name), of: entity)
                    }
                }
            }
        }
    }

    /// The entity that had the name once.
    package func entity(_ name: String) -> String? { entities[name] }

    /// The property of `entity` that had the name once.
    package func property(_ name: String, of entity: String) -> String? { properties[entity]?[name] }

    private mutating func note(entity: String, for former: String?, _ model: Model) {
        guard let former, former != entity, model.entity(named: former) == nil, entities[former] == nil else { return }
        entities[former] = entity
    }

    private mutating func note(property: String, for former: String?, of entity: Entity) {
        guard let former, former != property, entity.slot(named: former) == nil,
            properties[entity.name]?[former] == nil
        else { return }
        properties[entity.name, default: [:]][former] = property
    }
}
