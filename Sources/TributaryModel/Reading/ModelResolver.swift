import TributaryChanges

struct ModelResolver {
    let definitions: [String: EntityDefinition]
    let order: [EntityDefinition]
    let composites: [String: [Attribute]]
    /// A former model may have parts that are no longer allowed.
    let isArchived: Bool

    /// The limits of a model: reading takes a time that grows with the square of some of these numbers.
    static let mostEntities = 4_096
    /// Without the ancestors' properties; SQLite has as many columns.
    static let mostOwnProperties = 2_000
    /// Includes inherited properties and the members of composites.
    static let mostProperties = 65_536
    static let mostAncestors = 64

    init(
        definitions: [EntityDefinition],
        composites: [String: [Attribute]],
        isArchived: Bool = false
    ) throws(ModelError) {
        guard definitions.count <= ModelResolver.mostEntities else {
            throw ModelError(
                "the model has \(definitions.count) entities, and \(ModelResolver.mostEntities) are possible",
                element: "entity \(definitions[ModelResolver.mostEntities].name)"
            )
        }
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
        var left = ModelResolver.mostProperties
        for definition in order {
            try checkName(ofEntity: definition.name)
            own[definition.name] = try ownProperties(of: definition, from: &left)
        }
        var ancestors: [String: [String]] = [:]
        var descendants: [String: [String]] = [:]
        for definition in order {
            let above = try self.ancestors(of: definition)
            ancestors[definition.name] = above
            for name in above {
                descendants[name, default: []].append(definition.name)
                let element = "entity \(definition.name)"
                try ModelResolver.count(own[name]?.count ?? 0, from: &left, element: element)
            }
        }
        var entities: [Entity] = []
        for definition in order {
            let subentities = descendants[definition.name] ?? []
            entities.append(try entity(definition, own: own, ancestors: ancestors, subentities: subentities))
        }
        try checkTables(of: entities)
        return entities
    }

    private func entity(
        _ definition: EntityDefinition,
        own: [String: [Property]],
        ancestors: [String: [String]],
        subentities: [String]
    ) throws(ModelError) -> Entity {
        let lineage = [definition.name] + (ancestors[definition.name] ?? [])
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
            ancestors: Array(lineage.dropFirst()),
            subentities: subentities,
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
            guard result.count <= ModelResolver.mostAncestors else {
                throw ModelError(
                    "it has more than \(ModelResolver.mostAncestors) entities above it",
                    element: "entity \(definition.name)"
                )
            }
            next = parent.parent
        }
        return result
    }

    private static func count(_ number: Int, from left: inout Int, element: String) throws(ModelError) {
        left -= number
        guard left >= 0 else {
            throw ModelError(
                "the model has more than \(mostProperties) properties, with inherited properties and the members of "
                    + "composites",
                element: element
            )
        }
    }

    private func ownProperties(
        of definition: EntityDefinition,
        from left: inout Int
    ) throws(ModelError) -> [Property] {
        let number = definition.attributes.count + definition.relationships.count
        guard number <= ModelResolver.mostOwnProperties else {
            throw ModelError(
                "it has \(number) properties, and \(ModelResolver.mostOwnProperties) are possible",
                element: "entity \(definition.name)"
            )
        }
        try ModelResolver.count(number, from: &left, element: "entity \(definition.name)")
        var properties: [Property] = []
        for attribute in definition.attributes.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            let element = "entity \(definition.name), attribute \(attribute.name)"
            try checkName(attribute.name, element: element)
            let resolved = try resolve(attribute, element: element, within: [], from: &left)
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

    private func resolve(
        _ attribute: Attribute,
        element: String,
        within outer: [String],
        from left: inout Int
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
        try ModelResolver.count(members.count, from: &left, element: element)
        var result = attribute
        result.compositeAttributes = []
        for member in members.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            let memberElement = "\(element), composite \(name), attribute \(member.name)"
            guard result.compositeAttributes.last?.name != member.name else {
                throw ModelError("the name is used twice", element: memberElement)
            }
            let resolved = try resolve(member, element: memberElement, within: outer + [name], from: &left)
            try check(resolved, element: memberElement)
            result.compositeAttributes.append(resolved)
        }
        return result
    }
}

/// A relationship is stored once: by its to-one side, else by the side that sorts first by entity and name.
extension ModelResolver {
    /// A relationship that is its own inverse, such as `friends`, has one pair for both directions.
    func storage(
        of relationship: Relationship,
        in definition: EntityDefinition,
        element: String
    ) throws(ModelError) -> RelationshipStorage {
        guard definitions[relationship.destination] != nil else {
            throw ModelError("the destination '\(relationship.destination)' does not exist", element: element)
        }
        let ownTable = "\(definition.name)_\(relationship.name)"
        guard let inverseName = relationship.inverse else {
            return relationship.isToMany ? .links(table: ownTable, ownsPairs: true) : .column
        }
        guard let (owner, inverse) = declared(inverseName, in: relationship.destination) else {
            throw ModelError(
                "the inverse '\(inverseName)' is not a relationship of '\(relationship.destination)'",
                element: element
            )
        }
        guard let back = inverse.inverse, let (backOwner, backRelationship) = declared(back, in: inverse.destination),
            backOwner == definition.name, backRelationship.name == relationship.name
        else {
            let leads = inverse.inverse.map { "to '\(inverse.destination).\($0)'" } ?? "nowhere"
            throw ModelError(
                "the inverse '\(owner).\(inverseName)' does not lead back here: its own inverse leads \(leads)",
                element: element
            )
        }
        let isFirst =
            definition.name == owner
            ? !inverse.name.precedesByBytes(relationship.name) : definition.name.precedesByBytes(owner)
        switch (relationship.isToMany, inverse.isToMany) {
        case (false, true): return .column
        case (true, false): return .inverse(entity: owner, relationship: inverse.name)
        case (false, false):
            return isFirst ? .column : .inverse(entity: owner, relationship: inverse.name)
        case (true, true):
            return isFirst
                ? .links(table: ownTable, ownsPairs: true)
                : .links(table: "\(owner)_\(inverse.name)", ownsPairs: false)
        }
    }

    private func declared(_ name: String, in entity: String) -> (String, Relationship)? {
        var next: String? = entity
        var visited: Set<String> = []
        while let current = next, visited.insert(current).inserted, let definition = definitions[current] {
            if let relationship = definition.relationships.first(where: { $0.name == name }) {
                return (current, relationship)
            }
            next = definition.parent
        }
        return nil
    }

    private static let reservedPrefixes = ["tributary_", "sqlite_"]

    func checkName(ofEntity name: String) throws(ModelError) {
        let element = "entity \(name)"
        if name.isEmpty { throw ModelError("an entity has no name", element: element) }
        guard PredicateLexer.isName(name) else {
            throw ModelError("the name '\(name)' has more than letters, digits and underscores", element: element)
        }
        for prefix in ModelResolver.reservedPrefixes where name.lowercased().hasPrefix(prefix) {
            throw ModelError("names that start with '\(prefix)' are the store's own", element: element)
        }
    }

    /// The store's own columns start with an underscore, and other characters could be operators in a predicate.
    func checkName(_ name: String, element: String) throws(ModelError) {
        if name.isEmpty || name.hasPrefix("_") {
            throw ModelError("the name '\(name)' is empty or starts with an underscore", element: element)
        }
        guard PredicateLexer.isName(name) else {
            throw ModelError("the name '\(name)' has more than letters, digits and underscores", element: element)
        }
    }

    func checkCounts(of relationship: Relationship, element: String) throws(ModelError) {
        let (minimum, maximum) = (relationship.minimumCount, relationship.maximumCount)
        guard minimum >= 0, maximum >= 0, maximum == 0 || minimum <= maximum else {
            throw ModelError("the counts \(minimum) to \(maximum) cannot be met", element: element)
        }
        guard relationship.isToMany || (minimum <= 1 && maximum <= 1) else {
            throw ModelError("a to-one relationship holds one object at most", element: element)
        }
        guard relationship.isToMany || !relationship.isOrdered else {
            throw ModelError("a to-one relationship cannot be ordered", element: element)
        }
    }

    func check(_ attribute: Attribute, element: String) throws(ModelError) {
        if attribute.type == .undefined, !attribute.isTransient {
            throw ModelError("only a transient attribute may do without a type", element: element)
        }
        guard attribute.type.holds(attribute.defaultValue) else {
            throw ModelError("the default does not fit the type \(attribute.type.rawValue)", element: element)
        }
        for bound in [attribute.minimum, attribute.maximum] where !bound.isNull {
            let fits =
                attribute.type == .string ? AttributeType.integer64.holds(bound) : attribute.type.holds(bound)
            guard fits else {
                throw ModelError("a bound does not fit the type \(attribute.type.rawValue)", element: element)
            }
        }
        if let pattern = attribute.regularExpression, (try? StringMatcher(.matches, pattern)) == nil {
            throw ModelError("the pattern '\(pattern)' is not a regular expression", element: element)
        }
        let isNumber = attribute.type.isInteger || [.double, .float, .decimal].contains(attribute.type)
        switch attribute.mergeRule {
        case .latest: break
        case .counter where !isNumber || attribute.type == .decimal:
            throw ModelError("only integers, Double and Float can be counters", element: element)
        case .max where !isNumber && ![.date, .string].contains(attribute.type),
            .min where !isNumber && ![.date, .string].contains(attribute.type):
            throw ModelError("the merge rule needs values with an order: numbers, dates or strings", element: element)
        case .max, .min, .counter: break
        }
    }

    func checkKeys(
        constraints: [[String]],
        indexes: [FetchIndex],
        properties: [Property],
        entity: String
    ) throws(ModelError) {
        let element = "entity \(entity)"
        var columns: Set<String> = []
        var external: Set<String> = []
        var counters: Set<String> = []
        for property in properties {
            switch property {
            case .attribute(let attribute) where attribute.isStored:
                columns.insert(attribute.name)
                if attribute.allowsExternalBinaryStorage { external.insert(attribute.name) }
                if attribute.mergeRule == .counter { counters.insert(attribute.name) }
            case .relationship(let relationship, _) where !relationship.isToMany: columns.insert(relationship.name)
            default: break
            }
        }
        for constraint in constraints {
            guard !constraint.isEmpty else { throw ModelError("a uniqueness constraint is empty", element: element) }
            for name in constraint where !columns.contains(name) {
                throw ModelError(
                    "a uniqueness constraint names '\(name)', which is not a stored attribute or to-one relationship",
                    element: element
                )
            }
        }
        for name in constraints.joined() where counters.contains(name) && !isArchived {
            throw ModelError(
                "a uniqueness constraint names '\(name)', a counter: its value is the sum of what several machines add, so that "
                    + "none of them can keep it unique; take it out of the constraint, or give it another merge rule",
                element: element
            )
        }
        for name in constraints.joined() where external.contains(name) {
            throw ModelError(
                "a uniqueness constraint names '\(name)', but its values may be outside of the store: remove the constraint or that option",
                element: element
            )
        }
        for index in indexes {
            for name in index.elements.map(\.property) where !columns.contains(name) {
                throw ModelError(
                    "the index '\(index.name)' names '\(name)', which is not a stored attribute or to-one relationship",
                    element: element
                )
            }
        }
    }

    /// Tables, views and the columns of a table must differ by more than case, which SQLite ignores.
    func checkTables(of entities: [Entity]) throws(ModelError) {
        var tables: [String: String] = [:]
        for entity in entities {
            let element = "entity \(entity.name)"
            try reserveTable(entity.name, for: element, in: &tables)
        }
        for entity in entities {
            for case .relationship(let relationship, .links(let table, true)) in entity.ownProperties {
                try reserveTable(table, for: "entity \(entity.name), relationship \(relationship.name)", in: &tables)
            }
        }
        var columns: [String: [String: String]] = [:]
        for entity in entities {
            for property in entity.ownProperties {
                let folded = property.name.lowercased()
                let known = columns[entity.root, default: [:]].updateValue(property.name, forKey: folded)
                guard let known, known != property.name else { continue }
                throw ModelError(
                    "the name differs from '\(known)' only by case, which SQLite does not tell apart",
                    element: "entity \(entity.name), property \(property.name)"
                )
            }
        }
    }

    private func reserveTable(
        _ table: String,
        for element: String,
        in tables: inout [String: String]
    ) throws(ModelError) {
        if let other = tables.updateValue(element, forKey: table.lowercased()) {
            throw ModelError("its table '\(table)' would have the same name as the table of \(other)", element: element)
        }
    }
}
