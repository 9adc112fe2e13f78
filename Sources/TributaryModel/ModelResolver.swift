import TributaryChanges

/// Turns what a file states into entities: follows inheritance, checks inverses, gives slots and storage.
struct ModelResolver {
    private let definitions: [String: EntityDefinition]
    private let order: [EntityDefinition]
    private let composites: [String: [Attribute]]

    init(definitions: [EntityDefinition], composites: [String: [Attribute]]) throws(ModelError) {
        var byName: [String: EntityDefinition] = [:]
        for definition in definitions {
            guard byName.updateValue(definition, forKey: definition.name) == nil else {
                throw ModelError("there are two entities of this name", element: "entity \(definition.name)")
            }
        }
        self.definitions = byName
        order = definitions.sorted { $0.name < $1.name }
        self.composites = composites
    }

    func resolve() throws(ModelError) -> [Entity] {
        var entities: [Entity] = []
        for definition in order {
            let ancestors = try ancestors(of: definition)
            let lineage = [definition.name] + ancestors
            var properties: [Property] = []
            var constraints: [[String]] = []
            var indexes: [FetchIndex] = []
            var seen: Set<String> = []
            for name in lineage.reversed() {
                guard let ancestor = definitions[name] else { continue }
                for property in try ownProperties(of: ancestor) {
                    guard seen.insert(property.name).inserted else {
                        throw ModelError(
                            "the name is used twice, here or in a parent entity",
                            element: "entity \(definition.name), property \(property.name)"
                        )
                    }
                    properties.append(property)
                }
                constraints += ancestor.uniquenessConstraints
                indexes += ancestor.fetchIndexes
            }
            for name in constraints.joined() where !seen.contains(name) {
                throw ModelError(
                    "a uniqueness constraint names '\(name)', which is no property",
                    element: "entity \(definition.name)"
                )
            }
            entities.append(
                Entity(
                    definition: definition,
                    root: lineage.last ?? definition.name,
                    ancestors: ancestors,
                    subentities: order.map(\.name).filter { descends($0, from: definition.name) },
                    properties: properties,
                    uniquenessConstraints: constraints,
                    fetchIndexes: indexes
                )
            )
        }
        return entities
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
        for attribute in definition.attributes.sorted(by: { $0.name < $1.name }) {
            let element = "entity \(definition.name), attribute \(attribute.name)"
            try checkName(attribute.name, element: element)
            if let composite = attribute.compositeName, composites[composite] == nil {
                throw ModelError("the composite '\(composite)' does not exist", element: element)
            }
            properties.append(.attribute(attribute))
        }
        for relationship in definition.relationships.sorted(by: { $0.name < $1.name }) {
            try checkName(relationship.name, element: "entity \(definition.name), relationship \(relationship.name)")
            properties.append(.relationship(relationship, try storage(of: relationship, in: definition)))
        }
        return properties
    }

    /// Columns that start with an underscore are the store's own (CONTRACTS 3).
    private func checkName(_ name: String, element: String) throws(ModelError) {
        if name.isEmpty || name.hasPrefix("_") {
            throw ModelError("the name '\(name)' is empty or starts with an underscore", element: element)
        }
    }

    private func storage(
        of relationship: Relationship,
        in definition: EntityDefinition
    ) throws(ModelError) -> RelationshipStorage {
        let element = "entity \(definition.name), relationship \(relationship.name)"
        guard definitions[relationship.destination] != nil else {
            throw ModelError("the destination '\(relationship.destination)' does not exist", element: element)
        }
        let ownTable = "\(definition.name)_\(relationship.name)"
        guard let inverseName = relationship.inverse else {
            return relationship.isToMany ? .links(table: ownTable, ownsPairs: true) : .column
        }
        guard let (owner, inverse) = declared(inverseName, in: relationship.destination) else {
            throw ModelError(
                "the inverse '\(inverseName)' is no relationship of '\(relationship.destination)'",
                element: element
            )
        }
        let here = (definition.name, relationship.name)
        let there = (owner, inverse.name)
        switch (relationship.isToMany, inverse.isToMany) {
        case (false, true): return .column
        case (true, false): return .inverse(entity: owner, relationship: inverse.name)
        case (false, false):
            return here <= there ? .column : .inverse(entity: owner, relationship: inverse.name)
        case (true, true):
            return here <= there
                ? .links(table: ownTable, ownsPairs: true)
                : .links(table: "\(owner)_\(inverse.name)", ownsPairs: false)
        }
    }

    /// The relationship of the given name in an entity or the nearest of its ancestors, and which of them declares it.
    private func declared(_ name: String, in entity: String) -> (String, Relationship)? {
        var next: String? = entity
        while let current = next, let definition = definitions[current] {
            if let relationship = definition.relationships.first(where: { $0.name == name }) {
                return (current, relationship)
            }
            next = definition.parent
        }
        return nil
    }
}
