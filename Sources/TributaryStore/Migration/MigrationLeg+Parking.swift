import GRDB
import TributaryChanges
import TributaryModel

/// What the newer model does not know is kept as if it had come in after the migration.
///
/// Places in a transaction are not known any more; those before the first keep the order of a deletion, an insert and
/// what was written then.
extension MigrationLeg {
    private enum Position {
        /// Links that came before it are not there any more.
        static let delete = -1 << 40
        static let insert = -2
        static let write = -1
        /// Links follow each other downwards from here.
        static let links = -10
    }

    private static let reason = "the model does not have it any more"

    /// One value of a register.
    func park(
        _ entity: String,
        _ id: UniqueID,
        write: (name: String, value: JSONValue),
        number: Int64
    ) throws {
        let value = String(decoding: write.value.canonicalBytes, as: UTF8.self)
        let part = try nextPart(entity, id, number)
        try park(entity, id, number, Position.write, part, "update", write.name, value)
    }

    /// A value as it came in; one whose bytes cannot be read as it is, so that a lost file does not keep a store shut.
    func whole(_ value: PropertyValue) -> PropertyValue {
        StoreContext(configuration: configuration, layout: before).readable(value)
    }

    /// Values of the same transaction may have been parked by earlier legs.
    private func nextPart(_ entity: String, _ id: UniqueID, _ number: Int64) throws -> Int {
        let select = try BoundStatement(
            db,
            """
            SELECT ifnull(max(part), -1) + 1 FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position = ?4
            """
        )
        select.bind(1, entity)
        select.bind(2, id)
        select.bind(3, number)
        select.bind(4, Int64(Position.write))
        return try select.first { Int($0.integer(0)) } ?? 0
    }

    /// A visible object of an entity that is gone; what the root of its hierarchy still has waits there.
    func parkObject(_ head: VisibleRow, _ row: BoundStatement, _ table: TableLayout) throws {
        let entity = before.entities[head.entity]
        let name = entity.entity.name
        let heir = after.survivingRoot(ofEntity: name) == nil ? nil : routes.tables[table.index]
        var hidden = PartialRow()
        if let deleted = head.versions.deleted {
            hidden.deleted = deleted
            if heir == nil { try park(name, head.id, deleted, Position.delete, -1, "delete", nil, nil) }
        }
        try park(name, head.id, head.versions.inserted, Position.insert, -1, "insert", nil, "{}")
        for (place, column) in table.columns.enumerated() where column.isRegister && column.mergeRule != .counter {
            guard let number = head.versions.register(place, isHeld: entity.holds[place]) else { continue }
            let value = try register(head.id, table, place, row)
            if let heir, let target = routes.columns[table.index][place] {
                let widened = after.tables[heir].columns[target].widened(value)
                hidden.registers[target] = PartialRow.Register(version: number, value: widened)
            } else {
                try park(name, head.id, write: (column.property, whole(value).json), number: number)
            }
        }
        // It may have nothing but counts.
        guard let heir else { return }
        let insert = try BoundStatement(
            db,
            "INSERT OR REPLACE INTO tributary_object(root, id, deleted, registers) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bind(1, after.tables[heir].code)
        insert.bind(2, head.id)
        insert.bind(3, hidden.deleted)
        insert.bind(4, hidden.packed)
        try insert.run()
    }

    /// A deletion of an object whose root entity is gone.
    func parkDeletion(_ entity: String, _ id: UniqueID, number: Int64) throws {
        try park(entity, id, number, Position.delete, -1, "delete", nil, nil)
    }

    /// Pairs of one object, written by one transaction.
    func parkPairs(
        _ entity: String,
        _ id: UniqueID,
        property: String,
        link: Int,
        number: Int64,
        isRemoved: Bool,
        targets: [(id: UniqueID, position: String?)]
    ) throws {
        var members = [JSONMember(key: "ids", value: .array(targets.map { .string($0.id.description) }))]
        if !isRemoved, targets.contains(where: { $0.position != nil }) {
            members.append(
                JSONMember(key: "positions", value: .array(targets.map { .string($0.position ?? "") }))
            )
        }
        let position = Position.links - 2 * link - (isRemoved ? 1 : 0)
        let value = JSONValue.object(members).text
        try park(entity, id, number, position, -1, isRemoved ? "unlink" : "link", property, value)
    }

    private func park(
        _ entity: String,
        _ id: UniqueID,
        _ number: Int64,
        _ position: Int,
        _ part: Int,
        _ operation: String,
        _ property: String?,
        _ value: String?
    ) throws {
        let insert = try BoundStatement(
            db,
            """
            INSERT OR REPLACE INTO
            tributary_parked(entity, id, version, position, part, operation, property, value, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        insert.bind(1, entity)
        insert.bind(2, id)
        insert.bind(3, number)
        insert.bind(4, Int64(position))
        insert.bind(5, Int64(part))
        insert.bind(6, operation)
        insert.bind(7, property)
        insert.bind(8, value)
        insert.bind(9, MigrationLeg.reason)
        try insert.run()
    }

    /// The new name of the entity of an object, or its old one when that is gone; of one that is not visible the name
    /// of the entity at `fallback`.
    func entityName(_ table: TableLayout, _ id: UniqueID, fallback: Int) throws -> String {
        let source = routes.isKept[table.index] ? table.quotedName : MigrationLeg.former(table)
        let code = table.hasEntityColumn ? "_entity" : String(table.code)
        let select = try BoundStatement(db, "SELECT \(code) FROM \(source) WHERE _id = ?1")
        select.bind(1, id)
        let entity = try select.first { before.entityIndex(code: $0.integer(0)) } ?? nil
        let index = entity ?? fallback
        return routes.entities[index].map { after.entities[$0].entity.name } ?? before.entities[index].entity.name
    }

    /// The nearest entity to the root that has the column.
    func holder(_ table: TableLayout, _ place: Int) -> Int {
        let holders = before.entities.indices.filter {
            before.entities[$0].table == table.index && before.entities[$0].holds[place]
        }
        return holders.min { before.entities[$0].entity.ancestors.count < before.entities[$1].entity.ancestors.count }
            ?? before.entities.firstIndex { $0.table == table.index } ?? 0
    }
}
