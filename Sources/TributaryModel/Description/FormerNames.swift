import TributaryChanges

/// The names that the entities and properties of a model had in older versions.
///
/// Segments of writers with an older version contain former names. Former names resolve through all known model
/// versions and renaming identifiers; a current name of the model always has precedence.
package struct FormerNames: Sendable {
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]
    /// The last name of each removed entity, by former name.
    private var removedEntities: [String: String] = [:]
    /// The root entity that was removed together with a removed entity, by the entity's last name.
    private var removedRoots: [String: String] = [:]
    /// The current name of a removed entity's root, by the entity's last name; only roots that the model still has.
    private var survivingRoots: [String: String] = [:]
    /// The last name of each removed property, by entity and former name.
    private var removedProperties: [String: [String: String]] = [:]
    /// The definition of each removed property in the last version that has it, by entity and former name.
    private var removedDefinitions: [String: [String: Property]] = [:]
    /// The inverse of each removed relationship, by entity and former name; only inverses that the model still has.
    private var counterparts: [String: [String: Counterpart]] = [:]
    /// The last known inverse of each removed relationship whose inverse was removed in a later version.
    private var laterSides: [String: [String: Counterpart]] = [:]

    /// The inverse of a removed relationship.
    package struct Counterpart: Sendable, Hashable {
        package var entity: String
        package var property: String
    }

    /// Collects the former names of a model.
    ///
    /// - Parameters:
    ///   - model: The current version.
    ///   - histories: Lists of older versions, the oldest version first; each list is followed to `model` on its own.
    package init(of model: Model, histories: [[Model]] = []) {
        for entity in model.entities {
            addFormerName(entity.renamingIdentifier, ofEntity: entity.name, in: model)
            for property in entity.properties {
                addFormerName(property.renamingIdentifier, ofProperty: property.name, of: entity)
            }
        }
        for history in histories where !history.isEmpty {
            let chain = history + [model]
            let mappings = zip(chain, chain.dropFirst()).map { ModelMapping(from: $0, to: $1) }
            followRemoved(in: chain, mappings.map(Step.init))
            for mapping in FormerNames.composed(mappings) {
                for entity in model.entities {
                    addFormerName(mapping.entities[entity.name], ofEntity: entity.name, in: model)
                    for property in entity.properties {
                        let former = mapping.property(property.name, of: entity.name)
                        addFormerName(former, ofProperty: property.name, of: entity)
                    }
                }
            }
        }
    }

    /// The current entity with the given former name; nil when there is none.
    package func entity(_ name: String) -> String? { FormerNames.value(of: name, in: entities) }

    /// The current property of `entity` with the given former name; nil when there is none.
    package func property(_ name: String, of entity: String) -> String? {
        FormerNames.value(of: name, of: entity, in: properties)
    }

    /// The last name of a removed entity; `name` itself for any other.
    package func lastName(ofEntity name: String) -> String { FormerNames.value(of: name, in: removedEntities) ?? name }

    /// The root entity that was removed together with an entity; `name` itself when the entity is a root or its root
    /// remains.
    package func lastRoot(ofEntity name: String) -> String { FormerNames.value(of: name, in: removedRoots) ?? name }

    /// The current entity that was the root of a removed entity; nil when the root was removed too.
    package func survivingRoot(ofEntity name: String) -> String? {
        FormerNames.value(of: name, in: survivingRoots)
    }

    /// The last name of a removed property, or of a property of a removed entity; `name` itself for any other.
    package func lastName(ofProperty name: String, of entity: String) -> String {
        FormerNames.value(of: name, of: entity, in: removedProperties) ?? name
    }

    /// The last definition of a removed property, or of a property of a removed entity; nil for any other.
    package func lastDefinition(ofProperty name: String, of entity: String) -> Property? {
        FormerNames.value(of: name, of: entity, in: removedDefinitions)
    }

    /// The inverse of a removed relationship, when the model still has the inverse.
    package func counterpart(ofProperty name: String, of entity: String) -> Counterpart? {
        FormerNames.value(of: name, of: entity, in: counterparts)
    }

    /// The inverse of a removed relationship, when the inverse was removed in a later version.
    package func laterSide(ofProperty name: String, of entity: String) -> Counterpart? {
        FormerNames.value(of: name, of: entity, in: laterSides)
    }

    /// Returns the value of the key with exactly these Unicode scalars: the model compares its own names in this way.
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

    /// A mapping between two consecutive versions, seen from the older one.
    private struct Step {
        /// The entity's name in the newer version, by its name in the older version.
        let successors: [String: String]
        /// The property's name in the newer version, by entity of the newer version and property of the older version.
        let heirs: [String: [String: String]]

        init(_ mapping: ModelMapping) {
            successors = mapping.successors
            heirs = mapping.properties.mapValues { names in
                Dictionary(names.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }

    /// Composes the mappings of consecutive versions into one mapping from each version to the last one.
    private static func composed(_ mappings: [ModelMapping]) -> [ModelMapping] {
        var result: [ModelMapping] = []
        for mapping in mappings.reversed() { result.append(result.last?.after(mapping) ?? mapping) }
        return result.reversed()
    }

    /// Follows each removed entity and property to its last name; the last version of `chain` is the current model.
    private mutating func followRemoved(in chain: [Model], _ steps: [Step]) {
        let model = chain[chain.count - 1]
        for (index, old) in chain.dropLast().enumerated() {
            for entity in old.entities {
                var (last, isGone) = (entity.name, false)
                var properties = entity.properties.map { Followed(first: $0.name, last: $0.name, model: index) }
                for (stepIndex, step) in steps.enumerated().dropFirst(index) {
                    guard let next = step.successors[last] else {
                        isGone = true
                        followRoot(of: last, from: stepIndex, chain, steps)
                        break
                    }
                    let heirs = step.heirs[next] ?? [:]
                    for (number, property) in properties.enumerated() where property.model == stepIndex {
                        guard let heir = heirs[property.last] else {
                            properties[number].entity = last
                            continue
                        }
                        properties[number].last = heir
                        properties[number].model = stepIndex + 1
                    }
                    last = next
                }
                if isGone, model.entity(named: entity.name) == nil { removedEntities[entity.name] = last }
                for property in properties where isGone || property.model < steps.count {
                    recordRemoved(property, of: last, chain, steps)
                }
            }
        }
    }

    /// Follows the root of an entity that was removed after the version at `index`.
    private mutating func followRoot(of entity: String, from index: Int, _ chain: [Model], _ steps: [Step]) {
        guard var root = chain[index].entity(named: entity)?.root else { return }
        for step in steps[index...] {
            guard let next = step.successors[root] else {
                removedRoots[entity] = root
                return
            }
            root = next
        }
        survivingRoots[entity] = root
    }

    /// A property while it is followed through the versions.
    private struct Followed {
        let first: String
        /// The property's name in the last version that has it; `model` is the index of that version.
        var last: String
        var model: Int
        /// The name of the property's entity in that version, when the entity remains without the property.
        var entity: String?
    }

    private mutating func recordRemoved(_ property: Followed, of entity: String, _ chain: [Model], _ steps: [Step]) {
        removedProperties[entity, default: [:]][property.first] = property.last
        let owner = property.entity ?? entity
        guard let known = chain[property.model].entity(named: owner)?.property(named: property.last) else { return }
        removedDefinitions[entity, default: [:]][property.first] = known
        guard let relationship = known.relationship, let inverse = relationship.inverse else { return }
        var other = Counterpart(entity: relationship.destination, property: inverse)
        for (index, step) in steps.enumerated().dropFirst(property.model) {
            guard let next = step.successors[other.entity], let heir = step.heirs[next]?[other.property] else {
                if index > property.model { laterSides[entity, default: [:]][property.first] = other }
                return
            }
            other = Counterpart(entity: next, property: heir)
        }
        counterparts[entity, default: [:]][property.first] = other
    }

    private mutating func addFormerName(_ former: String?, ofEntity entity: String, in model: Model) {
        guard let former, !former.isIdentical(to: entity), model.entity(named: former) == nil, entities[former] == nil
        else { return }
        entities[former] = entity
    }

    private mutating func addFormerName(_ former: String?, ofProperty property: String, of entity: Entity) {
        guard let former, !former.isIdentical(to: property), entity.propertyIndex(named: former) == nil,
            properties[entity.name]?[former] == nil
        else { return }
        properties[entity.name, default: [:]][former] = property
    }
}
