import GRDB
import TributaryChanges
import TributaryModel

struct MigrationCheck {
    let db: Database
    let inference: MigrationInference
    let layout: StoreModel

    private static let limit = 20
    private static let idLimit = 5

    func violations() throws -> [MigrationViolation] {
        var found: [MigrationViolation] = []
        for entity in layout.entities {
            for names in newConstraints(of: entity.entity) { found += try duplicates(of: names, in: entity) }
        }
        for change in inference.changes where change.kind == .makeMandatory {
            guard let entity = layout.entity(named: change.entity), let name = change.property,
                let propertyIndex = entity.entity.propertyIndex(named: name),
                entity.entity.properties[propertyIndex].relationship?.needsObject == true,
                let violation = try missing(name, entity.places[propertyIndex], in: entity)
            else { continue }
            found.append(violation)
        }
        return Array(found.prefix(MigrationCheck.limit))
    }

    // MARK: Unique keys

    private func newConstraints(of entity: Entity) -> [[String]] {
        guard let before = inference.mapping.entities[entity.name].flatMap({ inference.old.entity(named: $0) }) else {
            return []
        }
        let inherited = entity.parent.flatMap { layout.entity(named: $0) }?.entity.uniquenessConstraints ?? []
        return entity.uniquenessConstraints.filter { names in
            let former = names.compactMap { inference.mapping.property($0, of: entity.name) }
            let isOld = former.count == names.count && before.uniquenessConstraints.contains { Set($0) == Set(former) }
            return !isOld && !inherited.contains(names)
        }
    }

    private func duplicates(of names: [String], in entity: EntityLayout) throws -> [MigrationViolation] {
        let table = layout.tables[entity.table]
        let columnIndexes = names.compactMap { name in
            entity.entity.propertyIndex(named: name).flatMap { entity.propertyColumns[$0] }
        }
        guard columnIndexes.count == names.count else { return [] }
        let columns = columnIndexes.map { table.columns[$0].quotedName }
        let codes = layout.codes(ofUniqueKey: names, of: entity.entity)
        let within = condition(table, codes)
        let select = try BoundStatement(
            db,
            """
            SELECT \(columns.joined(separator: ", ")), count(*) FROM \(table.quotedName) o
            WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))\(within)
            GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT \(constant: MigrationCheck.limit)
            """
        )
        var groups: [(values: [PropertyValue], count: Int)] = []
        try select.forEach { row in
            let values = columnIndexes.enumerated().map { table.columns[$1].value(in: row, at: Int32($0)) }
            groups.append((values, Int(row.integer(Int32(columnIndexes.count)))))
        }
        return try groups.map { group in
            let equal = columns.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
            let ids = try ids(table, where: equal + within) { statement in
                for (index, value) in group.values.enumerated() { statement.bind(Int32(index + 1), value) }
            }
            return MigrationViolation(
                .unique,
                entity: entity.entity.name,
                properties: names,
                values: group.values.map(\.json.text),
                count: group.count,
                ids: ids
            )
        }
    }

    // MARK: Mandatory relationships

    /// A target that is not visible, or not inserted yet, is valid.
    private func missing(
        _ name: String,
        _ storage: EntityLayout.Place,
        in entity: EntityLayout
    ) throws -> MigrationViolation? {
        let table = layout.tables[entity.table]
        let has: String
        switch storage {
        case .column(let column):
            has = """
                o.\(table.columns[column].quotedName) IS NOT NULL OR EXISTS (SELECT 1 FROM tributary_reference r
                WHERE r.root = \(table.code) AND r.id = o._id AND r.place = \(column))
                """
        case .inverseColumn(let column, _, _): has = "o.\(table.columns[column].quotedName) IS NOT NULL"
        case .inverse(let other, let column, _):
            let source = layout.tables[other]
            has = """
                EXISTS (SELECT 1 FROM \(source.quotedName) x WHERE x.\(source.columns[column].quotedName) = o._id)
                """
        case .links(let index, let ownsPairs):
            let link = layout.links[index]
            let ends = link.isSymmetric ? ["_source", "_target"] : [ownsPairs ? "_source" : "_target"]
            let tests = ends.map { "EXISTS (SELECT 1 FROM \(link.quotedName) x WHERE x.\($0) = o._id)" }
            has = tests.joined(separator: " OR ")
        case .none: return nil
        }
        let condition = "NOT (\(has))" + condition(table, layout.codes(of: entity.entity, includesSubentities: true))
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedName) o WHERE \(condition)") ?? 0
        guard count > 0 else { return nil }
        let ids = try ids(table, where: condition) { _ in }
        return MigrationViolation(.mandatory, entity: entity.entity.name, properties: [name], count: count, ids: ids)
    }

    // MARK: Objects

    private func condition(_ table: TableLayout, _ codes: [Int64]) -> String {
        table.hasEntityColumn ? " AND o._entity IN (\(codes.map(String.init).joined(separator: ", ")))" : ""
    }

    private func ids(
        _ table: TableLayout,
        where condition: String,
        bind: (BoundStatement) -> Void
    ) throws -> [ManagedObjectID] {
        let code = table.hasEntityColumn ? "o._entity" : String(table.code)
        let select = try BoundStatement(
            db,
            """
            SELECT o._id, \(code) FROM \(table.quotedName) o WHERE \(condition)
            ORDER BY o._id LIMIT \(constant: MigrationCheck.idLimit)
            """
        )
        bind(select)
        var found: [ManagedObjectID] = []
        try select.forEach { row in
            guard let id = row.id(0), let entity = layout.entity(code: row.integer(1)) else { return }
            found.append(
                ManagedObjectID(
                    store: layout.storeName,
                    entity: entity.entity.name,
                    rootEntity: table.root.name,
                    uniqueID: id
                )
            )
        }
        return found
    }
}

struct MigrationLosses {
    let db: Database
    let inference: MigrationInference
    let layout: StoreModel

    func counted() throws -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        for change in inference.changes {
            let count: Int
            let entity: EntityLayout?
            var property = change.property
            let reason: String
            switch change.kind {
            case .removeEntity:
                entity = layout.entity(named: change.entity)
                count = try entity.map { try self.count("*", of: $0, includesSubentities: false) } ?? 0
                reason = "the entity is removed"
            case .removeProperty:
                entity = inference.mapping.entities[change.entity].flatMap { layout.entity(named: $0) }
                count = try entity.map { try values(of: change.property ?? "", in: $0) } ?? 0
                let kept = change.property.flatMap { inference.new.entity(named: change.entity)?.property(named: $0) }
                reason = kept == nil ? "the property is removed" : "the property is no longer stored"
            case .changeType:
                entity = inference.mapping.entities[change.entity].flatMap { layout.entity(named: $0) }
                property = property.flatMap { inference.mapping.property($0, of: change.entity) }
                count = try entity.map { try roundedValues(of: property ?? "", in: $0, change) } ?? 0
                reason = "\(change.from ?? "its type") becomes \(change.to ?? "another one")"
            default: continue
            }
            guard let entity, count > 0 else { continue }
            let (name, isRounding) = (entity.entity.name, change.kind == .changeType)
            losses.append(
                MigrationLoss(entity: name, property: property, count: count, isRounding: isRounding, reason: reason)
            )
        }
        return losses
    }

    private func values(of property: String, in entity: EntityLayout) throws -> Int {
        guard let propertyIndex = entity.entity.propertyIndex(named: property) else { return 0 }
        switch entity.places[propertyIndex] {
        case .column(let column): return try count(table(entity).columns[column].quotedName, of: entity)
        case .links(let index, ownsPairs: true):
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(layout.links[index].quotedName)") ?? 0
        // The other side of the relationship stores these values.
        case .links, .inverseColumn, .inverse, .none: return 0
        }
    }

    private func roundedValues(of property: String, in entity: EntityLayout, _ change: MigrationChange) throws -> Int {
        let new = change.property.flatMap { inference.new.entity(named: change.entity)?.property(named: $0)?.attribute }
        guard let propertyIndex = entity.entity.propertyIndex(named: property), let new,
            entity.entity.properties[propertyIndex].attribute?.type.isRounded(as: new.type) == true,
            case .column(let columnIndex) = entity.places[propertyIndex]
        else { return 0 }
        let column = table(entity).columns[columnIndex].quotedName
        // The greatest integers become 2^63, which SQLite would turn back into the greatest integer.
        let isRounded = "CAST(CAST(\(column) AS REAL) AS INTEGER) <> \(column) OR \(column) > 9223372036854774784"
        return try count("*", of: entity, where: isRounded)
    }

    private func table(_ entity: EntityLayout) -> TableLayout { layout.tables[entity.table] }

    private func count(
        _ column: String,
        of entity: EntityLayout,
        includesSubentities: Bool = true,
        where condition: String = "1"
    ) throws -> Int {
        var sql = "SELECT count(\(column)) FROM \(table(entity).quotedName) WHERE (\(condition))"
        if table(entity).hasEntityColumn {
            let codes = layout.codes(of: entity.entity, includesSubentities: includesSubentities)
            sql += " AND _entity IN (\(codes.map(String.init).joined(separator: ", ")))"
        }
        return try Int.fetchOne(db, sql: sql) ?? 0
    }
}
