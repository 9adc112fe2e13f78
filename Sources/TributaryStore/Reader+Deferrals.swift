import GRDB
package import TributaryChanges
import TributaryModel

/// What was imported and has no effect yet: values that the model cannot represent, and updates of objects that nobody
/// has inserted.
///
/// What a migration of the model took out of the tables is not counted: its positions are below zero.
extension Reader {

    package func deferredCounts() throws -> DeferredCounts {
        func count(_ rows: String) throws -> Int {
            let sql = "SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT \(DeferredCounts.limit))"
            return Int(try BoundStatement(database, sql).first { $0.integer(0) } ?? 0)
        }
        var counts = DeferredCounts()
        counts.values = try count("tributary_parked WHERE position >= 0")
        counts.objects = try count("tributary_object WHERE deleted IS NULL")
        if counts.objects > 0 {
            // An object of an unknown entity, whose insertion is deferred itself, is not one that nobody inserted.
            counts.objects = try partialObjects().count
        }
        return counts
    }

    /// The deferred writes that `isWanted` takes by writer and sequence, in the order of the writers' transactions.
    package func deferredWrites(
        limit: Int = .max,
        where isWanted: (UniqueID, UInt64) -> Bool = { _, _ in true }
    ) throws -> [DeferredWrite] {
        var found = try deferredByModel(limit: limit, isWanted)
        found += try unknownObjects { isWanted($0.writer, $0.sequence) }.prefix(max(0, limit - found.count))
        return found.sorted { ($0.writer, $0.sequence, $0.index ?? 0) < ($1.writer, $1.sequence, $1.index ?? 0) }
    }

    private func deferredByModel(
        limit: Int,
        _ isWanted: (UniqueID, UInt64) -> Bool
    ) throws -> [DeferredWrite] {
        let select = try BoundStatement(
            database,
            """
            SELECT w.uuid, t.sequence, p.position, p.operation, p.entity, p.id, p.property, p.value, p.reason,
                t.committed_at
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version & \(VersionNumber.transactionMask)
            JOIN tributary_writer w ON w.id = t.writer
            WHERE p.position >= 0 LIMIT \(DeferredCounts.limit)
            """
        )
        var found: [DeferredWrite] = []
        try select.forEach { row in
            guard found.count < limit, let writer = UniqueID(row.text(0)), let object = row.id(5) else { return }
            let sequence = UInt64(bitPattern: row.integer(1))
            guard isWanted(writer, sequence) else { return }
            found.append(
                DeferredWrite(
                    cause: .model,
                    writer: writer,
                    sequence: sequence,
                    index: Int(row.integer(2)),
                    operation: row.text(3),
                    entity: row.text(4),
                    object: object,
                    property: row.optionalText(6),
                    value: row.optionalText(7),
                    reason: row.text(8),
                    since: row.double(9)
                )
            )
        }
        return found
    }

    /// Objects that were written to and that nobody has inserted.
    private func partialObjects() throws -> [(table: Int, id: UniqueID, hidden: HiddenObject)] {
        let inserted = try deferredInsertions()
        let select = try BoundStatement(
            database,
            """
            SELECT root, id, registers FROM tributary_object WHERE deleted IS NULL LIMIT \(DeferredCounts.limit)
            """
        )
        var waiting: [(table: Int, id: UniqueID, hidden: HiddenObject)] = []
        try select.forEach { row in
            guard let id = row.id(1), !inserted.contains(id),
                let table = context.layout.tableIndex(code: row.integer(0))
            else { return }
            row.withBytes(2) { waiting.append((table, id, HiddenObject(deleted: nil, packed: $0))) }
        }
        return waiting
    }

    /// A write for each value that waits for an object which nobody has inserted.
    private func unknownObjects(_ isWanted: (DeferredWrite) -> Bool) throws -> [DeferredWrite] {
        let origin = try BoundStatement(
            database,
            """
            SELECT w.uuid, t.sequence, t.committed_at FROM tributary_transaction t
            JOIN tributary_writer w ON w.id = t.writer WHERE t.number = ?1
            """
        )
        var found: [DeferredWrite] = []
        for object in try partialObjects() {
            let table = context.layout.tables[object.table]
            for (index, register) in object.hidden.registers.sorted(by: { $0.key < $1.key }) {
                guard table.columns.indices.contains(index) else { continue }
                origin.bind(1, VersionNumber.transaction(of: register.number))
                let write = try origin.first { row -> DeferredWrite? in
                    guard let writer = UniqueID(row.text(0)) else { return nil }
                    return DeferredWrite(
                        cause: .unknownObject,
                        writer: writer,
                        sequence: UInt64(bitPattern: row.integer(1)),
                        operation: "update",
                        entity: table.root.name,
                        object: object.id,
                        property: table.columns[index].property,
                        value: register.value.json.text,
                        reason: "nobody has inserted the object",
                        since: row.double(2)
                    )
                }
                if let write = write.flatMap(\.self), isWanted(write) { found.append(write) }
            }
        }
        return found
    }

    /// Objects whose insertion is deferred, since the model does not know their entity.
    private func deferredInsertions() throws -> Set<UniqueID> {
        let select = try BoundStatement(
            database,
            "SELECT DISTINCT id FROM tributary_parked WHERE operation = 'insert' LIMIT \(DeferredCounts.limit)"
        )
        var ids: Set<UniqueID> = []
        try select.forEach { row in if let id = row.id(0) { ids.insert(id) } }
        return ids
    }

    /// The applied segment of a writer that holds a transaction.
    package func segment(writer: UniqueID, holding sequence: UInt64) throws -> SegmentRecord? {
        let statement = try BoundStatement(
            database,
            Reader.selectSegments + " AND s.first <= ?2 ORDER BY s.first DESC LIMIT 1"
        )
        statement.bind(1, writer.description)
        statement.bind(2, Int64(bitPattern: sequence))
        let found = try statement.first { Reader.segment($0, writer) }
        return found.flatMap { $0.last >= sequence ? $0 : nil }
    }
}
