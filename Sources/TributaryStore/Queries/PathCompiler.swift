import TributaryChanges
import TributaryModel

struct PathCompiler {
    let layout: StoreModel
    private let results: [String: [SQLFragment]]?
    private var aliases = 0

    init(layout: StoreModel, results: [String: [SQLFragment]]? = nil) {
        self.layout = layout
        self.results = results
    }

    mutating func alias() -> String {
        aliases += 1
        return "a\(aliases)"
    }

    struct Targets {
        var tables: [String]
        var conditions: [SQLFragment]
        var alias: String
        var rest: ArraySlice<BoundPath.Step>

        var source: String { tables.joined(separator: " CROSS JOIN ") }
        var condition: SQLFragment { .joined(conditions, by: "AND") }
    }

    mutating func targets(of path: BoundPath, rows: [String]) throws -> Targets {
        let last = path.steps.lastIndex { $0.relationship.isToMany } ?? -1
        return try follow(path.steps[...last], from: rows[path.scope], rows, rest: path.steps[(last + 1)...])
    }

    mutating func value(of path: BoundPath, from row: String) throws -> SQLFragment {
        let value = try self.value(of: path, steps: path.steps[...], from: row, rows: [row])
        guard value.arguments.isEmpty else { throw StoreError.invalidQuery(reason: "'\(path.text)' has conditions") }
        return value
    }

    mutating func value(
        of path: BoundPath,
        steps: ArraySlice<BoundPath.Step>,
        from row: String,
        rows: [String]
    ) throws -> SQLFragment {
        guard !steps.isEmpty, results == nil else { return try terminal(of: path, on: row, rows) }
        let targets = try follow(steps, from: row, rows, rest: [])
        let value = try terminal(of: path, on: targets.alias, rows)
        let query = ("(SELECT " + value + " FROM \(targets.source) WHERE " + targets.condition + ")").within(8)
        // An empty to-one relationship has no objects to count.
        if case .count = path.terminal { return "ifnull(" + query + ", 0)" }
        return query
    }

    private mutating func follow(
        _ steps: ArraySlice<BoundPath.Step>,
        from row: String,
        _ rows: [String],
        rest: ArraySlice<BoundPath.Step>
    ) throws -> Targets {
        var result = Targets(tables: [], conditions: [], alias: row, rest: rest)
        for step in steps {
            let join = try self.join(step.relationship, of: step.source)
            let (target, link) = (alias(), alias())
            result.tables.append(join.source(target: target, link: link))
            result.conditions.append(
                SQLFragment(
                    join.condition(
                        owner: "\(result.alias)._id",
                        ownerColumns: result.alias,
                        target: target,
                        link: link
                    )
                )
            )
            if let filter = step.filter {
                var compiler = PredicateCompiler(paths: self)
                result.conditions.append(try compiler.condition(filter, on: rows + [target]))
                self = compiler.paths
            }
            result.alias = target
        }
        return result
    }

    private mutating func terminal(of path: BoundPath, on row: String, _ rows: [String]) throws -> SQLFragment {
        try terminal(path.terminal, of: path, on: row, rows)
    }

    private mutating func terminal(
        _ terminal: BoundPath.Terminal,
        of path: BoundPath,
        on row: String,
        _ rows: [String]
    ) throws -> SQLFragment {
        switch terminal {
        case .derived(let derivation, let inner):
            let text = try self.terminal(inner, of: path, on: row, rows)
            return ("\(TextFunction.name)(\(derivation.rawValue), " + text + ")").within(2)
        case .identity:
            return result(path, .reference(HavingCondition.noID)) ?? SQLFragment("\(row)._id")
        case .attribute(let propertyIndex, let attribute):
            return try column(propertyIndex, of: path.entity, attribute.name, on: row)
        case .member(let propertyIndex, let attribute, let names, let member):
            var column = try column(propertyIndex, of: path.entity, attribute.name, on: row)
            column.text = MemberFunction.call(column.text, names, member.type)
            return column.within(2)
        case .reference(let propertyIndex, let relationship, _):
            return try column(propertyIndex, of: path.entity, relationship.name, on: row)
        case .entity:
            return try result(path, .string(HavingCondition.entityName)) ?? entityName(path.entity, on: row)
        case .aggregate(let aggregate, let inner): return try self.aggregate(aggregate, inner, on: row, rows)
        case .count(_, let relationship, _):
            let join = try self.join(relationship, of: path.entity)
            let (target, link) = (alias(), alias())
            let condition = join.condition(owner: "\(row)._id", ownerColumns: row, target: target, link: link)
            return SQLFragment(
                "(SELECT count(*) FROM \(join.source(target: target, link: link)) WHERE \(condition))"
            )
        }
    }

    private mutating func aggregate(
        _ aggregate: ObjectPredicate.Aggregate,
        _ path: BoundPath,
        on row: String,
        _ rows: [String]
    ) throws -> SQLFragment {
        let targets = try follow(path.steps[...], from: row, rows, rest: [])
        let value = try terminal(of: path, on: targets.alias, rows)
        let result: SQLFragment
        switch aggregate {
        case .count: result = SQLFragment("count(*)")
        case .min, .max:
            result = "\(aggregate.rawValue)(" + value.ordered(as: path.kind) + ")"
        case .sum, .average:
            result = "\(AggregateFunctions.name(aggregate, path.kind))(" + value + ")"
        }
        return ("(SELECT " + result + " FROM \(targets.source) WHERE " + targets.condition + ")").within(8)
    }

    private func result(_ path: BoundPath, _ value: PropertyValue) -> SQLFragment? {
        results.map { SQLFragment("?", [$0[path.entity.name] == nil ? .null : value]) }
    }

    private func entityName(_ entity: Entity, on row: String) throws -> SQLFragment {
        guard let entityLayout = layout.entity(named: entity.name) else {
            throw StoreError.invalidQuery(reason: "'\(entity.name)' is not an entity of this store")
        }
        let table = layout.tables[entityLayout.table]
        func literal(_ name: String) -> String { "'\(name.replacing("'", with: "''"))'" }
        guard table.hasEntityColumn else { return SQLFragment(literal(table.root.name)) }
        let cases = table.entities.compactMap { layout.entity(named: $0) }
            .map { "WHEN \($0.code) THEN \(literal($0.entity.name))" }
        return SQLFragment("CASE \(row)._entity \(cases.joined(separator: " ")) END")
    }

    private func column(_ propertyIndex: Int, of entity: Entity, _ name: String, on row: String) throws -> SQLFragment {
        if let results { return results[entity.name]?[propertyIndex] ?? SQLFragment("NULL") }
        guard let entityLayout = layout.entity(named: entity.name),
            let column = entityLayout.propertyColumns[propertyIndex]
        else {
            throw StoreError.invalidQuery(reason: "'\(name)' of '\(entity.name)' has no column")
        }
        return SQLFragment("\(row).\(layout.tables[entityLayout.table].columns[column].quotedName)")
    }

    private func join(_ relationship: Relationship, of entity: Entity) throws -> RelationshipJoin {
        guard let entityLayout = layout.entity(named: entity.name),
            let join = RelationshipJoin(relationship, in: entityLayout, layout: layout)
        else {
            throw StoreError.invalidQuery(reason: "'\(relationship.name)' of '\(entity.name)' is not stored")
        }
        return join
    }
}
