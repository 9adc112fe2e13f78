/// The names that the entities and properties of a model had in older versions.
///
/// Writers with an older version use them (SEMANTICS B: names resolve through all known model versions and renaming
/// identifiers). A name that the model itself has always means that.
package struct FormerNames: Sendable {
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]
    /// Of entities that are gone: the last name that they had.
    private var goneEntities: [String: String] = [:]
    /// Of properties that are gone, by entity: the last name that they had.
    private var goneProperties: [String: [String: String]] = [:]

    /// Each list of `histories` has older versions, the oldest first, and is followed to the model by itself.
    package init(of model: Model, histories: [[Model]] = []) {
        for entity in model.entities {
            note(entity: entity.name, for: entity.renamingIdentifier, model)
            for property in entity.properties {
                note(property: property.name, for: property.renamingIdentifier, of: entity)
            }
        }
        for history in histories {
            noteGone(in: history, model)
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

    /// The last name of an entity that the model does not have any more.
    package func lastName(ofEntity name: String) -> String { goneEntities[name] ?? name }

    /// The last name of a property that the entity does not have any more, or whose entity is gone.
    package func lastName(ofProperty name: String, of entity: String) -> String {
        goneProperties[entity]?[name] ?? name
    }

    /// Follows what goes away in a history to its last name.
    private mutating func noteGone(in history: [Model], _ model: Model) {
        let chain = history + [model]
        let steps = zip(chain, chain.dropFirst()).map { ModelMapping(from: $0, to: $1) }
        for (index, old) in history.enumerated() {
            for entity in old.entities {
                var names = [(entity: entity.name, properties: entity.properties.map { ($0.name, $0.name, true) })]
                for step in steps[index...] {
                    guard let last = names.last, let next = step.successors[last.entity] else { break }
                    let heirs = Dictionary(
                        (step.properties[next] ?? [:]).map { ($1, $0) },
                        uniquingKeysWith: { first, _ in first }
                    )
                    let properties = last.properties.map { first, name, isThere in
                        let heir = isThere ? heirs[name] : nil
                        return (first, heir ?? name, heir != nil)
                    }
                    names.append((next, properties))
                }
                guard let last = names.last else { continue }
                let isGone = names.count <= steps.count - index
                if isGone, model.entity(named: entity.name) == nil { goneEntities[entity.name] = last.entity }
                for (first, name, isThere) in last.properties where isGone || !isThere {
                    goneProperties[last.entity, default: [:]][first] = name
                }
            }
        }
    }

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
