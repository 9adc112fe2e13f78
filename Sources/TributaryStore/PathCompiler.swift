import TributaryChanges
import TributaryModel

/// Turns bound key paths into SQL expressions on a row.
struct PathCompiler {
    let layout: StoreModel
    private var aliases = 0

    init(layout: StoreModel) {
        self.layout = layout
    }

    mutating func alias() -> String {
        aliases += 1
        return "a\(aliases)"
    }

    /// Where a to-many path leads: tables, what holds between them, and the alias of the last one.
    struct Targets {
        var tables: [String]
        var conditions: [String]
        var alias: String
        /// The steps that are left, all to-one.
        var rest: ArraySlice<BoundPath.Step>
    }

    /// Follows a path up to and including its last to-many step.
    mutating func targets(of path: BoundPath, from row: String) throws -> Targets {
        let last = path.steps.lastIndex { $0.relationship.isToMany } ?? -1
        return try follow(path.steps[...last], from: row, rest: path.steps[(last + 1)...])
    }

    /// The value of the path for the row under an alias; the steps are to-one.
    mutating func value(of path: BoundPath, steps: ArraySlice<BoundPath.Step>, from row: String) throws -> String {
        guard !steps.isEmpty else { return try terminal(of: path, on: row) }
        let way = try follow(steps, from: row, rest: [])
        let value = try terminal(of: path, on: way.alias)
        let query =
            "(SELECT \(value) FROM \(way.tables.joined(separator: " CROSS JOIN ")) "
            + "WHERE \(way.conditions.joined(separator: " AND ")))"
        // Behind an empty to-one relationship there is nothing to count.
        if case .count = path.terminal { return "ifnull(\(query), 0)" }
        return query
    }

    private mutating func follow(
        _ steps: ArraySlice<BoundPath.Step>,
        from row: String,
        rest: ArraySlice<BoundPath.Step>
    ) throws -> Targets {
        var result = Targets(tables: [], conditions: [], alias: row, rest: rest)
        for step in steps {
            let join = try self.join(step.relationship, of: step.source)
            let (target, link) = (alias(), alias())
            result.tables.append(join.source(target: target, link: link))
            result.conditions.append(
                join.condition(
                    owner: "\(result.alias)._id",
                    ownerColumns: result.alias,
                    target: target,
                    link: link
                )
            )
            result.alias = target
        }
        return result
    }

    private mutating func terminal(of path: BoundPath, on row: String) throws -> String {
        switch path.terminal {
        case .identity: return "\(row)._id"
        case .attribute(let slot, let attribute): return try column(slot, of: path.entity, attribute.name, on: row)
        case .reference(let slot, let relationship, _):
            return try column(slot, of: path.entity, relationship.name, on: row)
        case .count(_, let relationship, _):
            let join = try self.join(relationship, of: path.entity)
            let (target, link) = (alias(), alias())
            let condition = join.condition(owner: "\(row)._id", ownerColumns: row, target: target, link: link)
            return "(SELECT count(*) FROM \(join.source(target: target, link: link)) WHERE \(condition))"
        }
    }

    private func column(_ slot: Int, of entity: Entity, _ name: String, on row: String) throws -> String {
        guard let place = layout.entity(named: entity.name), let column = place.slotColumns[slot] else {
            throw StoreError.invalidQuery(reason: "'\(name)' of '\(entity.name)' has no column")
        }
        return "\(row).\(layout.tables[place.table].columns[column].quotedName)"
    }

    private func join(_ relationship: Relationship, of entity: Entity) throws -> RelationshipJoin {
        guard let place = layout.entity(named: entity.name),
            let join = RelationshipJoin(relationship, in: place, layout: layout)
        else {
            throw StoreError.invalidQuery(reason: "'\(relationship.name)' of '\(entity.name)' is not stored")
        }
        return join
    }
}
