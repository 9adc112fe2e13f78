import TributaryChanges

/// Creates entities from definitions: resolves inheritance, checks inverses, and assigns property indexes and storage.
struct ModelResolver {
    let definitions: [String: EntityDefinition]
    let order: [EntityDefinition]
    let composites: [String: [Attribute]]
    /// Whether the definitions are those of a former model, which may have what models must not have any more.
    let isArchived: Bool

    init(
        definitions: [EntityDefinition],
        composites: [String: [Attribute]],
        isArchived: Bool = false
    ) throws(ModelError) {
        var byName: [String: EntityDefinition] = [:]
        for definition in definitions {
            guard byName.updateValue(definition, forKey: definition.name) == nil else {
                throw ModelError("there are two entities of this name", element: "entity \(definition.name)")
            }
        }
        self.definitions = byName
        order = definitions.sorted { $0.name.precedesByBytes($1.name) }
        self.composites = composites
        self.isArchived = isArchived
    }

    func resolve() throws(ModelError) -> [Entity] {
        var own: [String: [Property]] = [:]
        for definition in order {
            try checkName(ofEntity: definition.name)
            own[definition.name] = try ownProperties(of: definition)
        }
        // Cycles are refused first: the loops below would not end for an entity whose ancestors are a cycle.
        for definition in order { _ = try ancestors(of: definition) }
        var entities: [Entity] = []
        for definition in order {
            entities.append(try entity(definition, own: own))
        }
        try checkTables(of: entities)
        return entities
    }

    private func entity(_ definition: EntityDefinition, own: [String: [Property]]) throws(ModelError) -> Entity {
        let ancestors = try ancestors(of: definition)
        let lineage = [definition.name] + ancestors
        var properties: [Property] = []
        var constraints: [[String]] = []
        var indexes: [FetchIndex] = []
        var seen: Set<String> = []
        for name in lineage.reversed() {
            guard let ancestor = definitions[name] else { continue }
            for property in own[name] ?? [] {
                guard seen.insert(property.name).inserted else {
                    throw ModelError(
                        "the name is used twice, here or in a parent entity",
                        element: "entity \(definition.name), property \(property.name)"
                    )
                }
                properties.append(property)
            }
            for constraint in ancestor.uniquenessConstraints where !constraints.contains(constraint) {
                constraints.append(constraint)
            }
            indexes += ancestor.fetchIndexes.filter { index in !indexes.contains { $0.name == index.name } }
        }
        try checkKeys(constraints: constraints, indexes: indexes, properties: properties, entity: definition.name)
        return Entity(
            definition: definition,
            root: lineage.last ?? definition.name,
            ancestors: ancestors,
            subentities: order.map(\.name).filter { descends($0, from: definition.name) },
            ownProperties: own[definition.name] ?? [],
            properties: properties,
            uniquenessConstraints: constraints,
            fetchIndexes: indexes
        )
    }

    private func ancestors(of definition: EntityDefinition) throws(ModelError) -> [String] {
        var result: [String] = []
        var next = definition.parent
        while let name = next {
            guard let parent = definitions[name] else {
                throw ModelError("the parent entity '\(name)' does not exist", element: "entity \(definition.name)")
            }
            guard name != definition.name, !result.contains(name) else {
                throw ModelError("the inheritance is a cycle", element: "entity \(definition.name)")
            }
            result.append(name)
            next = parent.parent
        }
        return result
    }

    private func descends(_ name: String, from ancestor: String) -> Bool {
        var next = definitions[name]?.parent
        while let parent = next {
            if parent == ancestor { return true }
            next = definitions[parent]?.parent
        }
        return false
    }

    private func ownProperties(of definition: EntityDefinition) throws(ModelError) -> [Property] {
        var properties: [Property] = []
        for attribute in definition.attributes.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            let element = "entity \(definition.name), attribute \(attribute.name)"
            try checkName(attribute.name, element: element)
            let resolved = try resolve(attribute, element: element, within: [])
            try check(resolved, element: element)
            properties.append(.attribute(resolved))
        }
        for relationship in definition.relationships.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            let element = "entity \(definition.name), relationship \(relationship.name)"
            try checkName(relationship.name, element: element)
            try checkCounts(of: relationship, element: element)
            let storage = try storage(of: relationship, in: definition, element: element)
            properties.append(.relationship(relationship, storage))
        }
        return properties
    }

    /// Returns the attribute with its composite's attributes, which may be composites themselves.
    private func resolve(
        _ attribute: Attribute,
        element: String,
        within outer: [String]
    ) throws(ModelError) -> Attribute {
        guard attribute.type == .composite else { return attribute }
        guard let name = attribute.compositeName else {
            throw ModelError("a composite attribute must name its composite", element: element)
        }
        guard let members = composites[name] else {
            throw ModelError("the composite '\(name)' does not exist", element: element)
        }
        guard !outer.contains(name) else {
            throw ModelError("the composite '\(name)' contains itself", element: element)
        }
        var result = attribute
        result.compositeAttributes = []
        for member in members.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            let memberElement = "\(element), composite \(name), attribute \(member.name)"
            guard result.compositeAttributes.last?.name != member.name else {
                throw ModelError("the name is used twice", element: memberElement)
            }
            let resolved = try resolve(member, element: memberElement, within: outer + [name])
            try check(resolved, element: memberElement)
            result.compositeAttributes.append(resolved)
        }
        return result
    }
}
