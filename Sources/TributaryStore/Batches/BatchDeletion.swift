import GRDB
package import TributaryChanges
import TributaryModel

/// Finds the objects that a batch deletes and the effects on other objects, with SQL and in temporary tables.
final class BatchDeletion {
    private let reader: Reader
    private let layout: StoreModel
    private var db: Database { reader.database }
    private let insert: BoundStatement
    /// The current round of Cascade; level 0 holds the objects that the batch names.
    private var level: Int64 = 0

    private static let tables = [
        """
        CREATE TEMP TABLE IF NOT EXISTS tributary_doomed(
            root INTEGER NOT NULL, id BLOB NOT NULL, entity INTEGER NOT NULL, level INTEGER NOT NULL,
            PRIMARY KEY (root, id)) WITHOUT ROWID
        """,
        // Each round of Cascade reads only the objects that the round before has found.
        "CREATE INDEX IF NOT EXISTS temp.tributary_doomed_level ON tributary_doomed(level, root, entity)",
        // To-one registers of surviving objects that are set to null.
        """
        CREATE TEMP TABLE IF NOT EXISTS tributary_release(
            root INTEGER NOT NULL, id BLOB NOT NULL, entity INTEGER NOT NULL, propertyIndex INTEGER NOT NULL,
            PRIMARY KEY (root, id, propertyIndex)) WITHOUT ROWID
        """,
    ]

    init(reader: Reader) throws {
        self.reader = reader
        layout = reader.context.layout
        for table in BatchDeletion.tables { try reader.database.execute(sql: table) }
        insert = try BoundStatement(
            reader.database,
            "INSERT OR IGNORE INTO temp.tributary_doomed(root, id, entity, level) VALUES (?1, ?2, ?3, 0)"
        )
        try clear()
    }

    /// A rollback of the transaction empties the tables as well.
    func clear() throws {
        for table in ["doomed", "release"] { try db.execute(sql: "DELETE FROM temp.tributary_\(table)") }
    }

    func add(_ id: ManagedObjectID) throws {
        guard let entity = layout.entity(named: id.entity) else { return }
        insert.bind(1, layout.tables[entity.table].code)
        insert.bind(2, id.uniqueID)
        insert.bind(3, entity.code)
        try insert.run()
    }

    /// Follows Cascade until no new object is found, then checks Deny, then collects the effects of Nullify.
    func followRules() throws {
        let relationships = relationships
        let cascades = try relationships.filter { $0.2.deleteRule == .cascade }.map { try cascade($0.0, $0.3) }
        while try follow(cascades) { level += 1 }
        for (entity, propertyIndex, relationship, join) in relationships where relationship.deleteRule == .deny {
            try deny(entity, propertyIndex, relationship, join)
        }
        for (entity, propertyIndex, relationship, join) in relationships where relationship.deleteRule == .nullify {
            try nullify(entity, propertyIndex, relationship, join)
        }
    }

    private var relationships: [(EntityLayout, Int, Relationship, RelationshipJoin)] {
        layout.entities.filter { !$0.entity.isAbstract }.flatMap { entity in
            entity.entity.properties.enumerated().compactMap { propertyIndex, property in
                guard let relationship = property.relationship,
                    let join = RelationshipJoin(relationship, in: entity, layout: layout)
                else { return nil }
                return (entity, propertyIndex, relationship, join)
            }
        }
    }

    private func targets(_ entity: EntityLayout, _ join: RelationshipJoin) -> String {
        """
        FROM temp.tributary_doomed d CROSS JOIN \(join.source(target: "o", link: "l"))
        WHERE d.root = \(layout.tables[entity.table].code) AND d.entity = \(entity.code)
            AND \(join.condition(owner: "d.id", ownerColumns: nil, target: "o", link: "l"))
        """
    }

    private func entityCode(_ table: TableLayout) -> String { table.hasEntityColumn ? "o._entity" : "\(table.code)" }

    private func survives(_ table: TableLayout) -> String {
        "NOT EXISTS (SELECT 1 FROM temp.tributary_doomed x WHERE x.root = \(table.code) AND x.id = o._id)"
    }

    private func cascade(_ entity: EntityLayout, _ join: RelationshipJoin) throws -> BoundStatement {
        try BoundStatement(
            db,
            """
            INSERT OR IGNORE INTO temp.tributary_doomed(root, id, entity, level)
            SELECT \(join.target.code), o._id, \(entityCode(join.target)), ?1 + 1 \(targets(entity, join)) AND d.level = ?1
            """
        )
    }

    /// The next round reads the objects that this round finds.
    private func follow(_ cascades: [BoundStatement]) throws -> Bool {
        var found = false
        for statement in cascades {
            statement.bind(1, level)
            try statement.run()
            if statement.changedRows > 0 { found = true }
        }
        return found
    }

    private func deny(
        _ entity: EntityLayout,
        _ propertyIndex: Int,
        _ relationship: Relationship,
        _ join: RelationshipJoin
    ) throws {
        let statement = try BoundStatement(
            db,
            "SELECT d.id, o._id, \(entityCode(join.target)) \(targets(entity, join)) AND \(survives(join.target)) LIMIT 1"
        )
        let found = try statement.first { row -> BatchError? in
            guard let id = row.id(0), let other = row.id(1), let otherEntity = layout.entity(code: row.integer(2))
            else {
                return nil
            }
            return .denied(
                layout.objectID(id, of: entity),
                relationship: relationship.name,
                by: layout.objectID(other, of: otherEntity)
            )
        }
        if let problem = found ?? nil { throw problem }
    }

    private func nullify(
        _ entity: EntityLayout,
        _ propertyIndex: Int,
        _ relationship: Relationship,
        _ join: RelationshipJoin
    ) throws {
        switch entity.places[propertyIndex] {
        // The deletion of the object removes its own register, and its pairs.
        case .column, .links, .none: return
        case .inverse, .inverseColumn:
            guard let name = relationship.inverse,
                let inverseIndex = layout.entity(named: relationship.destination)?.entity.propertyIndex(named: name)
            else { return }
            let statement = try BoundStatement(
                db,
                """
                INSERT OR IGNORE INTO temp.tributary_release(root, id, entity, propertyIndex)
                SELECT \(join.target.code), o._id, \(entityCode(join.target)), \(inverseIndex) \(targets(entity, join))
                    AND \(survives(join.target))
                """
            )
            try statement.run()
        }
    }

    /// One update for each surviving object with to-one registers that are set to null.
    func forEachRelease(_ block: (Change) throws -> Void) throws {
        let statement = try BoundStatement(
            db,
            "SELECT root, id, entity, propertyIndex FROM temp.tributary_release ORDER BY root, id, propertyIndex"
        )
        var current: (root: Int64, change: Change, writes: [PropertyWrite])?
        func end() throws {
            guard var (_, change, writes) = current else { return }
            change.operation = .update(writes)
            writes = []
            try block(change)
        }
        try statement.forEach { row in
            guard let id = row.id(1), let entity = layout.entity(code: row.integer(2)) else { return }
            let write = PropertyWrite(name: entity.entity.properties[Int(row.integer(3))].name, value: .null)
            if let known = current, known.root == row.integer(0), known.change.id == id {
                current?.writes.append(write)
                return
            }
            try end()
            current = (
                row.integer(0), Change(entity: entity.entity.name, id: id, operation: .update([])), [write]
            )
        }
        try end()
    }

    func forEachObject(_ block: (ManagedObjectID) throws -> Void) throws {
        let statement = try BoundStatement(
            db,
            "SELECT id, entity FROM temp.tributary_doomed ORDER BY level, root, id"
        )
        try statement.forEach { row in
            guard let id = row.id(0), let entity = layout.entity(code: row.integer(1)) else { return }
            try block(layout.objectID(id, of: entity))
        }
    }
}

extension BatchWriter {
    /// Deletes the objects that match the query, following the delete rules.
    ///
    /// - Throws: ``BatchError`` `denied` when a Deny rule forbids a deletion; nothing is written then.
    package func delete(_ query: FetchQuery, terms: BatchTerms) throws -> BatchWriteResult {
        try delete(terms: terms) { deletion in
            for id in try reader.ids(query) { try deletion.add(id) }
        }
    }

    /// Deletes the given objects, as far as they exist, following the delete rules.
    ///
    /// - Throws: ``BatchError`` `denied` when a Deny rule forbids a deletion; nothing is written then.
    package func delete(_ ids: [ManagedObjectID], terms: BatchTerms) throws -> BatchWriteResult {
        try delete(terms: terms) { deletion in
            for id in ids {
                if let row = try reader.row(id.uniqueID, rootEntity: id.rootEntity) { try deletion.add(row.id) }
            }
        }
    }

    private func delete(terms: BatchTerms, _ fill: (BatchDeletion) throws -> Void) throws -> BatchWriteResult {
        let deletion = try BatchDeletion(reader: reader)
        try fill(deletion)
        try deletion.followRules()
        var count = 0
        var ids: [ManagedObjectID] = []
        let committed = try commitSlices(terms) { apply in
            var slice: [Change] = []
            func add(_ change: Change) throws {
                slice.append(change)
                guard slice.count >= BatchWriter.sliceSize else { return }
                try apply(slice)
                slice.removeAll(keepingCapacity: true)
            }
            // The batch has found all references before it changes anything; pairs go with their objects.
            try deletion.forEachObject { id in
                count += 1
                if terms.listsIDs { ids.append(id) }
                try add(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
            }
            try deletion.forEachRelease(add)
            try apply(slice)
        }
        try deletion.clear()
        return BatchWriteResult(committed: committed, count: count, ids: ids)
    }
}
