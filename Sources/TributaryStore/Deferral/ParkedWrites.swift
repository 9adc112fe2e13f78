import GRDB
import TributaryChanges
import TributaryModel

/// Gives parked writes their effect once the model can represent them, with the versions that they have always had.
struct ParkedWrites {
    let db: Database
    let layout: StoreModel
    let configuration: StoreConfiguration

    /// The author of the transaction in history that tells of them; it is not in the log.
    static let author = "migration"

    private struct Parked {
        var change: Change
        var version: Int64
        /// As it is in the table: stores of old have no index in it.
        var storedVersion: Int64
        var stamp: Version
        var writer: Int64
        var position: Int
        var part: Int
    }

    func apply() throws {
        let parked = try read().filter { layout.entityIndex(named: $0.change.entity) != nil || hasMoved($0.change) }
        guard !parked.isEmpty else { return }
        let applier = try Applier(db, layout: layout)
        applier.blobs = StoreContext(configuration: configuration, layout: layout).blobs
        let number = try beginTransaction()
        applier.begin(number: number.number, version: number.version, writer: 1, isStrict: false)
        for item in parked {
            try remove(item)
            let change = rooted(item).change
            applier.resume(
                number: item.version,
                version: item.stamp,
                writer: item.writer,
                position: item.position,
                part: max(item.part, 0)
            )
            if item.part < 0 {
                try applier.apply([change])
            } else if layout.entityIndex(named: change.entity) == nil {
                try applier.applyFormerPart(change)
            } else {
                try applier.applyPart(change)
            }
        }
        try applier.end()
        try endTransaction(applier, number.number)
    }

    /// A value of an object whose entity is gone, as one of the root's when that has the property.
    private func rooted(_ item: Parked) -> Parked {
        guard item.part >= 0, let root = layout.survivingRoot(ofEntity: item.change.entity) else { return item }
        switch item.change.operation {
        case .insert(let writes), .update(let writes):
            let entity = layout.entities[root].entity
            guard let name = writes.first?.name, layout.slot(named: name, of: entity) != nil else { return item }
            var result = item
            result.change.entity = entity.name
            return result
        case .delete, .link, .unlink: return item
        }
    }

    /// Whether the entity is gone, and other objects keep something of the change.
    private func hasMoved(_ change: Change) -> Bool {
        if layout.survivingRoot(ofEntity: change.entity) != nil { return true }
        let entity = layout.lastName(ofEntity: change.entity)
        return switch change.operation {
        case .insert(let writes), .update(let writes):
            writes.contains { layout.formerKeeper(ofProperty: $0.name, of: entity) != nil }
        case .link(let name, _, _), .unlink(let name, _): layout.formerKeeper(ofProperty: name, of: entity) != nil
        case .delete: false
        }
    }

    /// Nobody needs to hear of a transaction that did nothing.
    func endTransaction(_ applier: Applier, _ number: Int64) throws {
        guard applier.current.effects.isEmpty else { return }
        try db.execute(sql: "DELETE FROM tributary_transaction WHERE number = ?", arguments: [number])
    }

    /// A transaction of the store alone: it has no sequence in the log.
    func beginTransaction() throws -> (number: Int64, version: Version) {
        try db.execute(
            sql: """
                INSERT INTO tributary_transaction(writer, sequence, clock, author, committed_at)
                SELECT id, 0, clock, ?1, ?2 FROM tributary_writer WHERE is_self = 1
                """,
            arguments: [ParkedWrites.author, Double(configuration.environment.wallMilliseconds()) / 1000]
        )
        return (db.lastInsertedRowID, .none)
    }

    private func remove(_ item: Parked) throws {
        let delete = try BoundStatement(
            db,
            """
            DELETE FROM tributary_parked
            WHERE entity = ?1 AND id = ?2 AND version = ?3 AND position = ?4 AND part = ?5
            """
        )
        delete.bind(1, item.change.entity)
        delete.bind(2, item.change.id)
        delete.bind(3, item.storedVersion)
        delete.bind(4, Int64(item.position))
        delete.bind(5, Int64(item.part))
        try delete.run()
    }

    private func read() throws -> [Parked] {
        let select = try BoundStatement(
            db,
            """
            SELECT p.entity, p.id, p.operation, p.property, p.value, p.version, p.position, p.part,
                t.clock, w.uuid, w.id
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version & \(VersionNumber.transactionMask)
            JOIN tributary_writer w ON w.id = t.writer
            ORDER BY t.clock, w.uuid, max(p.version >> \(VersionNumber.transactionBits), p.position), p.position, p.part
            """
        )
        var found: [Parked] = []
        try select.forEach { row in
            guard let id = row.id(1),
                let operation = ParkedWrites.operation(row.text(2), row.optionalText(3), row.optionalText(4))
            else { return }
            found.append(
                Parked(
                    change: Change(entity: row.text(0), id: id, operation: operation),
                    version: VersionNumber.number(row.integer(5), atLeast: Int(row.integer(6))),
                    storedVersion: row.integer(5),
                    stamp: Version(
                        clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(8))),
                        writer: UniqueID(row.text(9)) ?? Version.none.writer
                    ),
                    writer: row.integer(10),
                    position: Int(row.integer(6)),
                    part: Int(row.integer(7))
                )
            )
        }
        return found
    }

    /// The change, or the one value of it, that was parked.
    private static func operation(_ kind: String, _ property: String?, _ value: String?) -> Change.Operation? {
        let json = value.flatMap { JSONValue(text: $0) }
        func writes() -> [PropertyWrite] {
            if let property, let json { return [PropertyWrite(name: property, value: json)] }
            guard case .object(let members)? = json else { return [] }
            return members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        func texts(_ key: String) -> [String]? {
            guard case .array(let values)? = json?[key] else { return nil }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let ids = (texts("ids") ?? []).compactMap { UniqueID($0) }
        return switch kind {
        case "insert": .insert(writes())
        case "update": .update(writes())
        case "delete": .delete
        case "link": .link(to: property ?? "", ids: ids, positions: texts("positions"))
        case "unlink": .unlink(to: property ?? "", ids: ids)
        default: nil
        }
    }
}
