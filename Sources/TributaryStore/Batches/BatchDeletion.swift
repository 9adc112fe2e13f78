import GRDB
package import TributaryChanges
import TributaryModel

final class BatchDeletion {
    private struct Followed {
        let entity: EntityLayout
        let relationship: Relationship
        let storage: RelationshipStorage
        let join: RelationshipJoin
    }

    private let layout: StoreModel
    private let db: Database
    private let insert: BoundStatement
    private var level: Int64 = 0

    private static let tables = [
        """
        CREATE TEMP TABLE IF NOT EXISTS tributary_deletion(
            root INTEGER NOT NULL, id BLOB NOT NULL, entity INTEGER NOT NULL, level INTEGER NOT NULL,
            PRIMARY KEY (root, id)) WITHOUT ROWID
        """,
        // Each round of Cascade reads only the objects that the round before has found.
        "CREATE INDEX IF NOT EXISTS temp.tributary_deletion_level ON tributary_deletion(level, root, entity)",
        // To-one registers of surviving objects that are set to null.
        """
        CREATE TEMP TABLE IF NOT EXISTS tributary_release(
            root INTEGER NOT NULL, id BLOB NOT NULL, entity INTEGER NOT NULL, propertyIndex INTEGER NOT NULL,
            PRIMARY KEY (root, id, propertyIndex)) WITHOUT ROWID
        """,
    ]

    init(reader: Reader) throws {
        layout = reader.context.layout
        db = reader.database
        for table in BatchDeletion.tables { try db.execute(sql: table) }
        insert = try BoundStatement(
            db,
            "INSERT OR IGNORE INTO temp.tributary_deletion(root, id, entity, level) VALUES (?1, ?2, ?3, 0)"
        )
        try clear()
    }

    func clear() throws {
        for table in ["deletion", "release"] { try db.execute(sql: "DELETE FROM temp.tributary_\(table)") }
    }

    func add(_ id: ManagedObjectID) throws {
        guard let entity = layout.entity(named: id.entity) else { return }
        insert.bindAll(layout.tables[entity.table].code, id.uniqueID, entity.code)
        try insert.run()
    }

    func followRules() throws {
        let rules = Dictionary(grouping: relationships, by: \.relationship.deleteRule)
        let cascades = try (rules[.cascade] ?? []).map { followed in
            try insertion("deletion(root, id, entity, level)", followed, value: "?1 + 1", where: "d.level = ?1")
        }
        while try follow(cascades) { level += 1 }
        for followed in rules[.deny] ?? [] { try deny(followed) }
        for followed in rules[.nullify] ?? [] { try nullify(followed) }
    }

    private var relationships: [Followed] {
        layout.entities.filter { !$0.entity.isAbstract }.flatMap { entity in
            entity.entity.properties.compactMap { property in
                guard case .relationship(let relationship, let storage) = property,
                    let join = RelationshipJoin(relationship, in: entity, layout: layout)
                else { return nil }
                return Followed(entity: entity, relationship: relationship, storage: storage, join: join)
            }
        }
    }

    private func targets(_ followed: Followed) -> String {
        let (entity, join) = (followed.entity, followed.join)
        return """
            FROM temp.tributary_deletion d CROSS JOIN \(join.source(target: "o", link: "l"))
            WHERE d.root = \(layout.tables[entity.table].code) AND d.entity = \(entity.code)
                AND \(join.condition(owner: "d.id", ownerColumns: nil, target: "o", link: "l"))
            """
    }

    private func entityCode(_ table: TableLayout) -> String { table.hasEntityColumn ? "o._entity" : "\(table.code)" }

    private func survives(_ table: TableLayout) -> String {
        "NOT EXISTS (SELECT 1 FROM temp.tributary_deletion x WHERE x.root = \(table.code) AND x.id = o._id)"
    }

    private func insertion(
        _ columns: String,
        _ followed: Followed,
        value: String,
        where condition: String
    ) throws -> BoundStatement {
        let target = followed.join.target
        return try BoundStatement(
            db,
            """
            INSERT OR IGNORE INTO temp.tributary_\(columns)
            SELECT \(String(target.code)), o._id, \(entityCode(target)), \(value) \(targets(followed)) AND \(condition)
            """
        )
    }

    private func follow(_ cascades: [BoundStatement]) throws -> Bool {
        var found = false
        for statement in cascades {
            statement.bind(1, level)
            try statement.run()
            if statement.changedRows > 0 { found = true }
        }
        return found
    }

    private func deny(_ followed: Followed) throws {
        let target = followed.join.target
        let found = try BoundStatement(
            db,
            "SELECT d.id, o._id, \(entityCode(target)) \(targets(followed)) AND \(survives(target)) LIMIT 1"
        ).first { row -> BatchError? in
            guard let id = row.id(0), let other = row.id(1), let otherEntity = layout.entity(code: row.integer(2))
            else { return nil }
            return .denied(
                layout.objectID(id, of: followed.entity),
                relationship: followed.relationship.name,
                by: layout.objectID(other, of: otherEntity)
            )
        }
        if let problem = found ?? nil { throw problem }
    }

    /// A deletion removes the object's own registers and pairs, so only registers of other objects remain.
    private func nullify(_ followed: Followed) throws {
        guard case .inverse(_, let name) = followed.storage,
            let destination = layout.entity(named: followed.relationship.destination)?.entity,
            let inverse = destination.propertyIndex(named: name)
        else { return }
        // A mandatory reference cannot be cleared.
        if destination.properties[inverse].relationship?.isOptional == false { try deny(followed) }
        try insertion(
            "release(root, id, entity, propertyIndex)",
            followed,
            value: "\(inverse)",
            where: survives(followed.join.target)
        )
        .run()
    }

    func forEachRelease(_ block: (Change) throws -> Void) throws {
        try BoundStatement(
            db,
            """
            SELECT id, entity, group_concat(propertyIndex) FROM temp.tributary_release
            GROUP BY root, id ORDER BY root, id
            """
        ).forEach { row in
            guard let id = row.id(0), let entity = layout.entity(code: row.integer(1)) else { return }
            let writes = row.text(2).split(separator: ",").compactMap { Int($0) }.sorted().map {
                PropertyWrite(name: entity.entity.properties[$0].name, value: .null)
            }
            try block(Change(entity: entity.entity.name, id: id, operation: .update(writes)))
        }
    }

    func forEachObject(_ block: (ManagedObjectID) throws -> Void) throws {
        try BoundStatement(db, "SELECT id, entity FROM temp.tributary_deletion ORDER BY level, root, id").forEach {
            row in
            guard let id = row.id(0), let entity = layout.entity(code: row.integer(1)) else { return }
            try block(layout.objectID(id, of: entity))
        }
    }
}

extension BatchWriter {
    package func delete(_ query: FetchQuery, terms: BatchTerms) throws -> BatchWriteResult {
        try delete(visible: reader.ids(query), terms: terms)
    }

    package func delete(_ ids: [ManagedObjectID], terms: BatchTerms) throws -> BatchWriteResult {
        let visible = try ids.compactMap { try reader.row($0.uniqueID, rootEntity: $0.rootEntity)?.id }
        return try delete(visible: visible, terms: terms)
    }

    private func delete(visible ids: [ManagedObjectID], terms: BatchTerms) throws -> BatchWriteResult {
        let deletion = try BatchDeletion(reader: reader)
        for id in ids { try deletion.add(id) }
        try deletion.followRules()
        let result = try commit(terms) { slices in
            // All references were found before the first change. A deletion also removes the many-to-many links.
            try deletion.forEachObject { id in
                slices.count(id)
                try slices.append(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
            }
            try deletion.forEachRelease(slices.append)
        }
        try deletion.clear()
        return result
    }
}
