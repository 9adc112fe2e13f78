import TributaryChanges

/// The names that the entities and properties of a model had in older versions.
///
/// Writers with an older version use them: names resolve through all known model versions and renaming identifiers. A
/// name that the model itself has always means that.
package struct FormerNames: Sendable {
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]
    /// Of entities that are gone: the last name that they had.
    private var goneEntities: [String: String] = [:]
    /// Of entities that are gone by their last name: the root of their hierarchy, when that went with them.
    private var goneRoots: [String: String] = [:]
    /// Of entities that are gone by their last name: what the root of their hierarchy is now, where that is still there.
    private var survivingRoots: [String: String] = [:]
    /// Of properties that are gone, by entity: the last name that they had.
    private var goneProperties: [String: [String: String]] = [:]
    /// The same by the first name: what they were in the last version that had them.
    private var goneDefinitions: [String: [String: Property]] = [:]
    /// The other side of relationships that are gone, where the model still has that.
    private var counterparts: [String: [String: Counterpart]] = [:]
    /// The other side where that is gone as well, but was there for longer, as it was last.
    private var laterSides: [String: [String: Counterpart]] = [:]

    /// A relationship that was the inverse of one that is gone.
    package struct Counterpart: Sendable, Hashable {
        package var entity: String
        package var property: String
    }

    /// Each list of `histories` has older versions, the oldest first, and is followed to the model by itself.
    package init(of model: Model, histories: [[Model]] = []) {
        for entity in model.entities {
            note(entity: entity.name, for: entity.renamingIdentifier, model)
            for property in entity.properties {
                note(property: property.name, for: property.renamingIdentifier, of: entity)
            }
        }
        for history in histories where !history.isEmpty {
            let chain = history + [model]
            let mappings = zip(chain, chain.dropFirst()).map { ModelMapping(from: $0, to: $1) }
            noteGone(in: chain, mappings.map(Step.init))
            for mapping in FormerNames.throughout(mappings) {
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
    package func entity(_ name: String) -> String? { FormerNames.value(of: name, in: entities) }

    /// The property of `entity` that had the name once.
    package func property(_ name: String, of entity: String) -> String? {
        FormerNames.value(of: name, of: entity, in: properties)
    }

    /// The last name of an entity that the model does not have any more.
    package func lastName(ofEntity name: String) -> String { FormerNames.value(of: name, in: goneEntities) ?? name }

    /// The root of the hierarchy that went with an entity; the entity itself when it was one or the root is still there.
    package func lastRoot(ofEntity name: String) -> String { FormerNames.value(of: name, in: goneRoots) ?? name }

    /// The entity of the model that was the root of an entity which is gone.
    package func survivingRoot(ofEntity name: String) -> String? {
        FormerNames.value(of: name, in: survivingRoots)
    }

    /// The last name of a property that the entity does not have any more, or whose entity is gone.
    package func lastName(ofProperty name: String, of entity: String) -> String {
        FormerNames.value(of: name, of: entity, in: goneProperties) ?? name
    }

    /// What a property was that the entity does not have any more, or whose entity is gone.
    package func lastDefinition(ofProperty name: String, of entity: String) -> Property? {
        FormerNames.value(of: name, of: entity, in: goneDefinitions)
    }

    /// What was the inverse of a relationship that the entity does not have any more, and is still there.
    package func counterpart(ofProperty name: String, of entity: String) -> Counterpart? {
        FormerNames.value(of: name, of: entity, in: counterparts)
    }

    /// What was the inverse of a relationship that is gone, and went after it.
    package func laterSide(ofProperty name: String, of entity: String) -> Counterpart? {
        FormerNames.value(of: name, of: entity, in: laterSides)
    }

    /// The value for the name with exactly these Unicode scalars, as the model compares its own names.
    private static func value<Value>(of name: String, in values: [String: Value]) -> Value? {
        guard let index = values.index(forKey: name), values[index].key.isIdentical(to: name) else { return nil }
        return values[index].value
    }

    private static func value<Value>(
        of name: String,
        of entity: String,
        in values: [String: [String: Value]]
    ) -> Value? {
        value(of: entity, in: values).flatMap { value(of: name, in: $0) }
    }

    /// A mapping of two neighbours, seen from the older one.
    private struct Step {
        /// By name in the older model: the name in the newer.
        let successors: [String: String]
        /// By entity of the newer model and property of the older: the property in the newer.
        let heirs: [String: [String: String]]

        init(_ mapping: ModelMapping) {
            successors = mapping.successors
            heirs = mapping.properties.mapValues { names in
                Dictionary(names.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }

    /// From each version to the last one, by the mappings of neighbours.
    private static func throughout(_ mappings: [ModelMapping]) -> [ModelMapping] {
        var result: [ModelMapping] = []
        for mapping in mappings.reversed() { result.append(result.last?.after(mapping) ?? mapping) }
        return result.reversed()
    }

    /// Follows what goes away in a history to its last name; the chain ends with the model.
    private mutating func noteGone(in chain: [Model], _ steps: [Step]) {
        let model = chain[chain.count - 1]
        for (index, old) in chain.dropLast().enumerated() {
            for entity in old.entities {
                var (last, isGone) = (entity.name, false)
                var properties = entity.properties.map { Followed(first: $0.name, last: $0.name, model: index) }
                for (place, step) in steps.enumerated().dropFirst(index) {
                    guard let next = step.successors[last] else {
                        isGone = true
                        noteRoot(of: last, from: place, chain, steps)
                        break
                    }
                    let heirs = step.heirs[next] ?? [:]
                    for (number, property) in properties.enumerated() where property.model == place {
                        guard let heir = heirs[property.last] else {
                            properties[number].entity = last
                            continue
                        }
                        properties[number].last = heir
                        properties[number].model = place + 1
                    }
                    last = next
                }
                if isGone, model.entity(named: entity.name) == nil { goneEntities[entity.name] = last }
                for property in properties where isGone || property.model < steps.count {
                    note(gone: property, of: last, chain, steps)
                }
            }
        }
    }

    /// Follows the root of an entity that is gone after the version at `place`.
    private mutating func noteRoot(of entity: String, from place: Int, _ chain: [Model], _ steps: [Step]) {
        guard var root = chain[place].entity(named: entity)?.root else { return }
        for step in steps[place...] {
            guard let next = step.successors[root] else {
                goneRoots[entity] = root
                return
            }
            root = next
        }
        survivingRoots[entity] = root
    }

    /// A property on its way through a history.
    private struct Followed {
        let first: String
        /// Its name in the last version that has it, and the place of that version.
        var last: String
        var model: Int
        /// The name of its entity there, when that goes on without it.
        var entity: String?
    }

    private mutating func note(gone property: Followed, of entity: String, _ chain: [Model], _ steps: [Step]) {
        goneProperties[entity, default: [:]][property.first] = property.last
        let owner = property.entity ?? entity
        guard let known = chain[property.model].entity(named: owner)?.property(named: property.last) else { return }
        goneDefinitions[entity, default: [:]][property.first] = known
        guard let relationship = known.relationship, let inverse = relationship.inverse else { return }
        var other = Counterpart(entity: relationship.destination, property: inverse)
        for (place, step) in steps.enumerated().dropFirst(property.model) {
            guard let next = step.successors[other.entity], let heir = step.heirs[next]?[other.property] else {
                if place > property.model { laterSides[entity, default: [:]][property.first] = other }
                return
            }
            other = Counterpart(entity: next, property: heir)
        }
        counterparts[entity, default: [:]][property.first] = other
    }

    private mutating func note(entity: String, for former: String?, _ model: Model) {
        guard let former, !former.isIdentical(to: entity), model.entity(named: former) == nil, entities[former] == nil
        else { return }
        entities[former] = entity
    }

    private mutating func note(property: String, for former: String?, of entity: Entity) {
        guard let former, !former.isIdentical(to: property), entity.slot(named: former) == nil,
            properties[entity.name]?[former] == nil
        else { return }
        properties[entity.name, default: [:]][former] = property
    }
}
