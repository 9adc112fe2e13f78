import TributaryModel

/// Successive versions of a model, the oldest first, with the mappings between them.
struct VersionChain {
    /// An entity of one version, followed to the last version or to its removal.
    struct Followed {
        let firstName: String
        var lastName: String
        var isRemoved = false
        /// The root of a removed entity.
        var root: FormerNames.Root?
        /// The removed properties, by their names in the first version; all properties of a removed entity.
        var removedProperties: [String: FormerNames.RemovedProperty] = [:]
    }

    /// A mapping between two consecutive versions, seen from the older one.
    private struct Step {
        let successors: [String: String]
        /// The property's name in the newer version, by entity of the newer version and property of the older version.
        let properties: [String: [String: String]]

        init(_ mapping: ModelMapping) {
            successors = mapping.successors
            properties = mapping.properties.mapValues { names in
                Dictionary(names.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }

    private let models: [Model]
    private let mappings: [ModelMapping]
    private let steps: [Step]

    init(_ models: [Model]) {
        self.models = models
        mappings = zip(models, models.dropFirst()).map { ModelMapping(from: $0, to: $1) }
        steps = mappings.map(Step.init)
    }

    func mappingsToLast() -> [ModelMapping] {
        var result: [ModelMapping] = []
        for mapping in mappings.reversed() { result.append(result.last?.after(mapping) ?? mapping) }
        return result.reversed()
    }

    func follow(_ entity: Entity, from first: Int) -> Followed {
        var followed = Followed(firstName: entity.name, lastName: entity.name)
        // The current names of the properties that are not removed yet, by first name.
        var names = Dictionary(uniqueKeysWithValues: entity.properties.map { ($0.name, $0.name) })
        func remove(_ name: String, lastName: String, at index: Int) {
            guard let known = models[index].entity(named: followed.lastName)?.property(named: lastName) else { return }
            followed.removedProperties[name] = removed(known, at: index)
        }
        for index in steps.indices.dropFirst(first) {
            guard let next = steps[index].successors[followed.lastName] else {
                followed.isRemoved = true
                followed.root = root(ofRemoved: followed.lastName, at: index)
                for (name, lastName) in names { remove(name, lastName: lastName, at: index) }
                break
            }
            let successors = steps[index].properties[next] ?? [:]
            for (name, current) in names where successors[current] == nil {
                remove(name, lastName: current, at: index)
            }
            names = names.compactMapValues { successors[$0] }
            followed.lastName = next
        }
        return followed
    }

    /// The root of an entity that the version after `index` lacks.
    private func root(ofRemoved entity: String, at index: Int) -> FormerNames.Root? {
        guard var root = models[index].entity(named: entity)?.root else { return nil }
        for step in steps[index...] {
            guard let next = step.successors[root] else { return .removed(root) }
            root = next
        }
        return .surviving(root)
    }

    /// A property that the version after `index` lacks, with its inverse: under the name in the last version, or under
    /// the last name when a version after the next one lacks the inverse.
    private func removed(_ property: Property, at index: Int) -> FormerNames.RemovedProperty {
        var result = FormerNames.RemovedProperty(definition: property, counterpart: nil, laterInverse: nil)
        guard let relationship = property.relationship, let inverse = relationship.inverse else { return result }
        var other = FormerNames.Counterpart(entity: relationship.destination, property: inverse)
        for (number, step) in steps[index...].enumerated() {
            guard let entity = step.successors[other.entity], let name = step.properties[entity]?[other.property] else {
                if number > 0 { result.laterInverse = other }
                return result
            }
            other = FormerNames.Counterpart(entity: entity, property: name)
        }
        result.counterpart = other
        return result
    }
}
