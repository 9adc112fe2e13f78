import GRDB
import TributaryChanges
import TributaryModel

/// Defers values that the newer model lacks, as if they were imported after the migration.
extension MigrationStep {
    /// Negative, because the original indexes are unknown; they sort before the lines that imports have deferred.
    private enum Position {
        private static let last = -1 << 40
        static let delete = -1 << 41
        static let insert = last - 2
        static let write = last - 1
        /// Other relationships and earlier steps use lower positions.
        static let links = last - 10
    }

    private static let reason = "the model no longer has it"

    func deferWrite(
        _ entity: String,
        _ id: UniqueID,
        write: (name: String, value: JSONValue),
        number: Int64
    ) throws {
        let operation = Change.Operation.update([PropertyWrite(name: write.name, value: write.value)])
        // Earlier steps may have deferred values of this transaction.
        let valueIndex = try deferred.nextValueIndex(entity, id, number: number, position: Position.write)
        try insert(operation, entity, id, number, position: Position.write, valueIndex: valueIndex)
    }

    /// Unreadable bytes leave the value unchanged: a lost file must not prevent the store from opening.
    func whole(_ value: PropertyValue) -> PropertyValue {
        StoreContext(configuration: target.configuration, layout: before).readable(value)
    }

    /// Values that the root of the removed entity's hierarchy still has go to a partial row.
    func deferObject(_ head: VisibleRow, _ row: BoundStatement, _ table: TableLayout) throws {
        let entity = before.entities[head.entity]
        let name = entity.entity.name
        let successor = after.survivingRoot(ofEntity: name) == nil ? nil : mapping.tables[table.index]
        var partial = PartialRow()
        if let deleted = head.versions.deleted {
            partial.deleted = deleted
            if successor == nil { try deferDeletion(name, head.id, number: deleted) }
        }
        try insert(.insert([]), name, head.id, head.versions.inserted, position: Position.insert)
        for (columnIndex, column) in table.columns.enumerated() where column.isRegister && !column.isCounter {
            guard let number = head.versions.register(columnIndex, isHeld: entity.holds[columnIndex]) else { continue }
            let value = try register(head.id, table, columnIndex, row)
            if let successor, let target = mapping.columns[table.index][columnIndex] {
                let converted = after.tables[successor].columns[target].converted(value)
                partial.registers[target] = PartialRow.Register(version: number, value: converted)
            } else {
                let name = entityName(head.entity, table, columnIndex)
                try deferWrite(name, head.id, write: (column.property, whole(value).json), number: number)
            }
        }
        // The partial row may contain only totals.
        if let successor { try partialRows.store(partial, successor, head.id) }
    }

    func deferDeletion(_ entity: String, _ id: UniqueID, number: Int64) throws {
        try insert(.delete, entity, id, number, position: Position.delete)
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
        let operation = Change.Operation(to: property, ids: ids, positions: positions, isLink: !isRemoved)
        // Earlier steps may have deferred links of this transaction in other relationships.
        let least = try deferred.leastPosition(entity, id, number: number, in: Position.delete + 1...Position.links)
        try insert(operation, entity, id, number, position: least.map { $0 - 1 } ?? Position.links)
    }

    private func insert(
        _ operation: Change.Operation,
        _ entity: String,
        _ id: UniqueID,
        _ number: Int64,
        position: Int,
        valueIndex: Int? = nil
    ) throws {
        let change = Change(entity: entity, id: id, operation: operation)
        let entry = DeferredWriteTable.Entry(change, number: number, position: position, valueIndex: valueIndex)
        try deferred.insert(entry, reason: MigrationStep.reason)
    }

    func entityName(_ table: TableLayout, _ id: UniqueID, columnIndex: Int) throws -> String {
        entityName(try entity(of: id, in: table), table, columnIndex)
    }

    /// Not always the object's entity: a producer may write a property of a sub-entity to an object of the parent.
    func entityName(_ entity: Int?, _ table: TableLayout, _ columnIndex: Int) -> String {
        if let entity, before.entities[entity].holds[columnIndex] { return lastName(entity) }
        let holders = before.entities.indices.filter {
            before.entities[$0].table == table.index && before.entities[$0].holds[columnIndex]
        }
        let nearest = holders.min {
            before.entities[$0].entity.ancestors.count < before.entities[$1].entity.ancestors.count
        }
        return lastName(nearest ?? before.entities.firstIndex { $0.table == table.index } ?? 0)
    }

    private func entity(of id: UniqueID, in table: TableLayout) throws -> Int? {
        let source = mapping.isKept[table.index] ? table.quotedName : MigrationStep.former(table)
        let code = table.hasEntityColumn ? "_entity" : String(table.code)
        let select = try BoundStatement(db, "SELECT \(code) FROM \(source) WHERE _id = ?1")
        select.bind(1, id)
        return try select.first { before.entityIndex(code: $0.integer(0)) } ?? nil
    }

    private func lastName(_ entity: Int) -> String {
        mapping.entities[entity].map { after.entities[$0].entity.name } ?? before.entities[entity].entity.name
    }

    func copyLinks() throws {
        for link in mapping.rewrittenLinks {
            try db.execute(
                sql: """
                    CREATE TABLE tributary_former_pairs AS SELECT * FROM tributary_link WHERE link = \(link.code);
                    DELETE FROM tributary_link WHERE link = \(link.code);
                    """
            )
            if let target = mapping.links[link.index] {
                try move(link, to: target)
            } else if try !isOrder(link) {
                try deferPairs(of: link)
            }
            try db.execute(sql: "DROP TABLE tributary_former_pairs")
        }
    }

    /// The link table has only positions; the inverse register has the pairs.
    private func isOrder(_ link: LinkLayout) throws -> Bool {
        guard let (entity, propertyIndex) = mapping.owner(of: link) else { return true }
        if case .inverse = before.entities[entity].places[propertyIndex] { return true }
        return false
    }

    private func move(_ link: LinkLayout, to target: StoreMapping.Link) throws {
        let new = after.links[target.link]
        try Schema.createTable(new, in: db)
        let ends = target.swaps ? "_target, _source" : "_source, _target"
        let position = link.isOrdered ? "coalesce(_position, '')" : "''"
        try db.execute(
            sql: """
                INSERT INTO \(new.quotedName)(_source, _target, _version\(new.isOrdered ? ", _position" : ""))
                SELECT \(ends), _version\(new.isOrdered ? ", \(position)" : "") FROM \(MigrationStep.former(link))
                """
        )
        let hidden = new.isOrdered ? "iif(removed, NULL, coalesce(position, ''))" : "NULL"
        try db.execute(
            sql: """
                INSERT INTO tributary_link(link, source, target, version, removed, position)
                SELECT \(new.code), \(target.swaps ? "target, source" : "source, target"), version, removed, \(hidden)
                FROM tributary_former_pairs
                """
        )
    }

    private func deferPairs(of link: LinkLayout) throws {
        guard let (owner, propertyIndex) = mapping.owner(of: link) else { return }
        var property = before.entities[owner].entity.properties[propertyIndex].name
        var source = link.source
        // The other side may be older, from a version between the two.
        var other: String?
        let name = mapping.entities[owner].map { after.entities[$0].entity.name }
        let last = name ?? after.lastName(ofEntity: before.entities[owner].entity.name)
        if let owner = after.formerPairsOwner(ofProperty: property, of: last) {
            (other, property, source) = (owner.entity, owner.property, link.target)
        }
        let isSwapped = other != nil
        let position = link.isOrdered ? "_position" : "NULL"
        let select = try BoundStatement(
            db,
            """
            SELECT \(isSwapped ? "_target" : "_source") AS source, \(isSwapped ? "_source" : "_target") AS target,
                _version AS version, 0 AS removed, \(position)
            FROM \(MigrationStep.former(link))
            UNION ALL SELECT \(isSwapped ? "target, source" : "source, target"), version, removed, position
            FROM tributary_former_pairs
            ORDER BY source, version, removed, target
            """
        )
        struct Group: Equatable {
            var source: UniqueID
            var number: Int64
            var isRemoved: Bool
        }
        var group: Group?
        var targets: [(id: UniqueID, position: String?)] = []
        func flush() throws {
            guard let group, !targets.isEmpty else { return }
            let entity = try entity(of: group.source, in: before.tables[source]).flatMap { entity in
                before.entities[entity].places.contains { $0.isOwner(of: link.index) } ? entity : nil
            }
            try deferPairs(
                other ?? lastName(entity ?? owner),
                group.source,
                property: property,
                number: group.number,
                isRemoved: group.isRemoved,
                targets: targets
            )
            targets = []
        }
        try select.forEach { row in
            guard let source = row.id(0), let target = row.id(1) else { return }
            let next = Group(source: source, number: row.integer(2), isRemoved: row.integer(3) != 0)
            if next != group { try flush() }
            group = next
            targets.append((target, row.optionalText(4)))
        }
        try flush()
    }
}
