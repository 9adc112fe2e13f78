import GRDB
import TributaryChanges
import TributaryModel
import TributaryStore

/// Defers values that the newer model does not have, as if they had been imported after the migration.
///
/// The indexes of these values in their transactions are unknown, so they get negative positions.
extension MigrationStep {
    private enum Position {
        /// The position of a deletion, which precedes all links.
        static let delete = -1 << 40
        static let insert = -2
        static let write = -1
        /// The position of the first links; those of another relationship or of an earlier step have less.
        static let links = -10
    }

    private static let reason = "the model does not have it any more"

    func deferWrite(
        _ entity: String,
        _ id: UniqueID,
        write: (name: String, value: JSONValue),
        number: Int64
    ) throws {
        let content = DeferredWriteTable.Content(PropertyWrite(name: write.name, value: write.value), isInsert: false)
        let valueIndex = try nextValueIndex(entity, id, number)
        try insert(content, entity, id, number, position: Position.write, valueIndex: valueIndex)
    }

    /// Returns a value with its bytes, or the unchanged value when they cannot be read: a lost file must not prevent
    /// the store from opening.
    func whole(_ value: PropertyValue) -> PropertyValue {
        StoreContext(configuration: target.configuration, layout: before).readable(value)
    }

    /// The next free value index; earlier steps may have deferred values of this transaction.
    private func nextValueIndex(_ entity: String, _ id: UniqueID, _ number: Int64) throws -> Int {
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

    /// Defers a visible object of a removed entity; values that the root of its hierarchy still has go to a partial
    /// row.
    func deferObject(_ head: VisibleRow, _ row: BoundStatement, _ table: TableLayout) throws {
        let entity = before.entities[head.entity]
        let name = entity.entity.name
        let heir = after.survivingRoot(ofEntity: name) == nil ? nil : mapping.tables[table.index]
        var partial = PartialRow()
        if let deleted = head.versions.deleted {
            partial.deleted = deleted
            if heir == nil { try deferDeletion(name, head.id, number: deleted) }
        }
        try insert(
            DeferredWriteTable.Content(of: .insert([])),
            name,
            head.id,
            head.versions.inserted,
            position: Position.insert
        )
        for (columnIndex, column) in table.columns.enumerated() where column.isRegister && !column.isCounter {
            guard let number = head.versions.register(columnIndex, isHeld: entity.holds[columnIndex]) else { continue }
            let value = try register(head.id, table, columnIndex, row)
            if let heir, let target = mapping.columns[table.index][columnIndex] {
                let converted = after.tables[heir].columns[target].converted(value)
                partial.registers[target] = PartialRow.Register(version: number, value: converted)
            } else {
                try deferWrite(name, head.id, write: (column.property, whole(value).json), number: number)
            }
        }
        // The partial row may contain nothing but counts.
        if let heir { try partialRows.store(partial, heir, head.id) }
    }

    func deferDeletion(_ entity: String, _ id: UniqueID, number: Int64) throws {
        try insert(DeferredWriteTable.Content(of: .delete), entity, id, number, position: Position.delete)
    }

    func deferPairs(
        _ entity: String,
        _ id: UniqueID,
        property: String,
        number: Int64,
        isRemoved: Bool,
        targets: [(id: UniqueID, position: String?)]
    ) throws {
        let ids = targets.map(\.id)
        let positions = targets.contains { $0.position != nil } ? targets.map { $0.position ?? "" } : nil
        let operation: Change.Operation =
            isRemoved ? .unlink(to: property, ids: ids) : .link(to: property, ids: ids, positions: positions)
        let content = DeferredWriteTable.Content(of: operation)
        try insert(content, entity, id, number, position: try nextLinkPosition(entity, id, number))
    }

    /// The next free position of links; earlier steps may have deferred those of this transaction in other
    /// relationships.
    private func nextLinkPosition(_ entity: String, _ id: UniqueID, _ number: Int64) throws -> Int {
        let select = try BoundStatement(
            db,
            """
            SELECT min(position) FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position > ?4 AND position <= ?5
            """
        )
        select.bind(1, entity)
        select.bind(2, id)
        select.bind(3, number)
        select.bind(4, Int64(Position.delete))
        select.bind(5, Int64(Position.links))
        let least = try select.first { $0.optionalInteger(0) } ?? nil
        return least.map { Int($0) - 1 } ?? Position.links
    }

    private func insert(
        _ content: DeferredWriteTable.Content,
        _ entity: String,
        _ id: UniqueID,
        _ number: Int64,
        position: Int,
        valueIndex: Int? = nil
    ) throws {
        try deferred.insert(
            entity: entity,
            id: id,
            content,
            number: number,
            position: position,
            valueIndex: valueIndex,
            reason: MigrationStep.reason
        )
    }

    /// The new name of an object's entity, or its old name when the entity was removed; `fallback` gives it when the
    /// object is not visible.
    func entityName(_ table: TableLayout, _ id: UniqueID, fallback: Int) throws -> String {
        let source = mapping.isKept[table.index] ? table.quotedName : MigrationStep.former(table)
        let code = table.hasEntityColumn ? "_entity" : String(table.code)
        let select = try BoundStatement(db, "SELECT \(code) FROM \(source) WHERE _id = ?1")
        select.bind(1, id)
        let entity = try select.first { before.entityIndex(code: $0.integer(0)) } ?? nil
        let index = entity ?? fallback
        return mapping.entities[index].map { after.entities[$0].entity.name } ?? before.entities[index].entity.name
    }

    /// The entity nearest to the root that has the column.
    func holder(_ table: TableLayout, _ columnIndex: Int) -> Int {
        let holders = before.entities.indices.filter {
            before.entities[$0].table == table.index && before.entities[$0].holds[columnIndex]
        }
        return holders.min { before.entities[$0].entity.ancestors.count < before.entities[$1].entity.ancestors.count }
            ?? before.entities.firstIndex { $0.table == table.index } ?? 0
    }
}
