import TributaryChanges

/// Checks the rules that a model must keep so that the store can hold it.
extension ModelResolver {
    /// Prefixes of the tables of the store and of SQLite.
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

    /// Checks the name of an entity or a property.
    ///
    /// Names that start with an underscore are columns of the store. Other characters than letters, digits and
    /// underscores could not be distinguished from operators in a predicate.
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
            throw ModelError("the pattern '\(pattern)' is no regular expression", element: element)
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
                    "a uniqueness constraint names '\(name)', which is no stored attribute or to-one relationship",
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
                "a uniqueness constraint names '\(name)', whose values may lie outside the store: one of the two has to go",
                element: element
            )
        }
        for index in indexes {
            for name in index.elements.map(\.property) where !columns.contains(name) {
                throw ModelError(
                    "the index '\(index.name)' names '\(name)', which is no stored attribute or to-one relationship",
                    element: element
                )
            }
        }
    }

    /// Checks that tables, views and the columns of a table differ by more than case, which SQLite ignores.
    ///
    /// Two sub-entities of one root may share a column, even with different types.
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
            throw ModelError("its table '\(table)' would have the same name as that of \(other)", element: element)
        }
    }
}
