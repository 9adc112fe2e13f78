import GRDB
import TributaryChanges
import TributaryModel

/// The parked writes of a store as canonical lines: of each value the newest write, of counts the sum of each writer.
///
/// A store that had the entity or property before it was taken out of the model keeps only the newest of its values, and
/// one that never had it keeps all that came in: the lines are the same for both. What names a property that the model
/// has, but of another kind (an ID for a to-many relationship, say), is left out: it never takes effect in this model.
struct ParkedState {
    let database: Database
    let layout: StoreModel
    let stamps: Stamps
    let text: (Int64) throws -> String

    private struct Write {
        var number: Int64
        var order: [Int64]
        var value: String
    }

    private struct Pair: Hashable {
        var property: String
        var target: UniqueID
    }

    /// What is parked of one object.
    private struct Object {
        var entity: String
        var id: UniqueID
        var inserted: Write?
        var deleted: Write?
        var values: [String: Write] = [:]
        var counts: [String: [Int64: JSONValue]] = [:]
        var pairs: [Pair: Write] = [:]
    }

    func forEachLine(_ emit: (String) -> Void) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT p.entity, p.id, p.version, p.position, p.part, p.operation, p.property, p.value, p.void, t.writer
            FROM tributary_parked p JOIN tributary_transaction t ON t.number = p.version
            WHERE p.void IS NOT '*' ORDER BY p.id
            """
        )
        var objects: [String: Object] = [:]
        var lines: [String] = []
        var current: UniqueID?
        func flush() throws {
            for object in objects.values { lines += try self.lines(of: object) }
            objects = [:]
        }
        try select.forEach { row in
            guard let id = row.id(1) else { return }
            if id != current { try flush() }
            current = id
            let entity = layout.entity(named: row.text(0))?.entity
            let key = entity?.root ?? layout.lastName(ofEntity: row.text(0))
            var object = objects[key] ?? Object(entity: key, id: id)
            try add(row, entity, to: &object)
            objects[key] = object
        }
        try flush()
        for line in lines.sorted() { emit(line) }
    }

    // MARK: Reading

    private func add(_ row: BoundStatement, _ entity: Entity?, to object: inout Object) throws {
        let write = Write(number: row.integer(2), order: [row.integer(3), row.integer(4)], value: row.text(7))
        let json = row.optionalText(7).flatMap { JSONValue(text: $0) }
        switch row.text(5) {
        case "delete": object.deleted = try newer(object.deleted, write)
        case "link", "unlink": try addPairs(row, json, write, entity, to: &object)
        case let operation:
            if row.integer(4) < 0, operation == "insert" { object.inserted = try newer(object.inserted, write) }
            if let property = row.optionalText(6), let json {
                try add(property, json, write, row.integer(9), entity, to: &object)
            } else if case .object(let members)? = json {
                for member in members { try add(member.key, member.value, write, row.integer(9), entity, to: &object) }
            }
        }
    }

    private func add(
        _ property: String,
        _ value: JSONValue,
        _ write: Write,
        _ writer: Int64,
        _ entity: Entity?,
        to object: inout Object
    ) throws {
        if let entity, isOfAnotherKind(property, isLink: false, entity) { return }
        let property = layout.lastName(ofProperty: property, of: entity?.name ?? object.entity)
        if case .object(let members) = value, members.count == 1, let amount = value["increment"] {
            let sum = object.counts[property]?[writer]
            object.counts[property, default: [:]][writer] = sum.map { ParkedState.sum($0, amount) } ?? amount
            return
        }
        var write = write
        write.value = String(decoding: value.canonicalBytes, as: UTF8.self)
        object.values[property] = try newer(object.values[property], write)
    }

    private func addPairs(
        _ row: BoundStatement,
        _ json: JSONValue?,
        _ write: Write,
        _ entity: Entity?,
        to object: inout Object
    ) throws {
        if let entity, isOfAnotherKind(row.text(6), isLink: true, entity) { return }
        let property = layout.lastName(ofProperty: row.text(6), of: entity?.name ?? object.entity)
        func texts(_ key: String) -> [String] {
            guard case .array(let values)? = json?[key] else { return [] }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let isLink = row.text(5) == "link"
        let positions = texts("positions")
        let void = row.optionalText(8) ?? ""
        for (index, target) in texts("ids").enumerated() where !void.contains(target) {
            guard let id = UniqueID(target) else { continue }
            var write = write
            let position = positions.indices.contains(index) ? " at \(JSONValue.string(positions[index]).text)" : ""
            write.value = (isLink ? "linked" : "unlinked") + (isLink ? position : "")
            let pair = Pair(property: property, target: id)
            object.pairs[pair] = try newer(object.pairs[pair], write)
        }
    }

    private func isOfAnotherKind(_ name: String, isLink: Bool, _ entity: Entity) -> Bool {
        guard let slot = layout.slot(named: name, of: entity), let known = layout.entity(named: entity.name) else {
            return false
        }
        return switch known.places[slot] {
        case .column: isLink
        case .mirror: true
        case .inverse, .links: !isLink
        case .none: false
        }
    }

    private func newer(_ known: Write?, _ write: Write) throws -> Write {
        guard let known else { return write }
        if known.number == write.number { return known.order.lexicographicallyPrecedes(write.order) ? write : known }
        return try stamps.isOlder(known.number, than: write.number) ? write : known
    }

    private static func sum(_ left: JSONValue, _ right: JSONValue) -> JSONValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): .integer(left &+ right)
        case (.integer(let left), .double(let right)): .double(Double(left) + right)
        case (.double(let left), .integer(let right)): .double(left + Double(right))
        case (.double(let left), .double(let right)): .double(left + right)
        default: right
        }
    }

    // MARK: Lines

    private func lines(of object: Object) throws -> [String] {
        let head = "parked \(JSONValue.string(object.entity).text) \(object.id)"
        var lines: [String] = []
        let stored = try deletion(of: object.id, in: layout.table(rootEntity: object.entity).map { [$0] } ?? [])
        func isVoid(_ write: Write) throws -> Bool {
            if let stored, try stamps.isOlder(write.number, than: stored) { return true }
            guard let deleted = object.deleted else { return false }
            return try newer(write, deleted).order == deleted.order && write.order != deleted.order
        }
        if let deleted = object.deleted { lines.append("\(head) deleted \(try text(deleted.number))") }
        if let inserted = object.inserted, try !isVoid(inserted) {
            lines.append("\(head) inserted \(try text(inserted.number))")
        }
        for (property, write) in object.values where try !isVoid(write) {
            let name = JSONValue.string(property).text
            lines.append("\(head) \(name) = \(write.value) at \(try text(write.number))")
        }
        for (property, counts) in object.counts {
            for (writer, sum) in counts {
                let name = JSONValue.string(property).text
                lines.append("\(head) \(name) counts \(sum.text) by \(try uuid(of: writer))")
            }
        }
        for (pair, write) in object.pairs where try !isVoid(write) {
            if let deleted = try deletion(of: pair.target, in: layout.tables), try !isNewer(write.number, deleted) {
                continue
            }
            let name = JSONValue.string(pair.property).text
            lines.append("\(head) \(name) \(pair.target) \(write.value) \(try text(write.number))")
        }
        return lines
    }

    private func isNewer(_ number: Int64, _ deleted: Int64) throws -> Bool {
        try number != deleted && stamps.isOlder(deleted, than: number)
    }

    /// The last deletion of an object that one of the tables has, and of one that is parked.
    private func deletion(of id: UniqueID, in tables: [TableLayout]) throws -> Int64? {
        var last: Int64?
        for table in tables {
            let hidden = try BoundStatement(
                database,
                "SELECT deleted FROM tributary_object WHERE root = ?1 AND id = ?2"
            )
            hidden.bind(1, table.code)
            hidden.bind(2, id)
            let visible = try BoundStatement(
                database,
                "SELECT \(TableStatements.head(table)) FROM \(table.quotedName) WHERE _id = ?1"
            )
            visible.bind(1, id)
            let found = [
                try hidden.first { $0.optionalInteger(0) } ?? nil,
                try visible.first { VisibleRow($0, layout: layout).versions.deleted } ?? nil,
            ]
            for number in found.compactMap({ $0 }) { last = try stamps.later(last, number) }
        }
        guard tables.count == layout.tables.count else { return last }
        let parked = try BoundStatement(
            database,
            "SELECT version FROM tributary_parked WHERE id = ?1 AND operation = 'delete' AND void IS NOT '*'"
        )
        parked.bind(1, id)
        var numbers: [Int64] = []
        try parked.forEach { numbers.append($0.integer(0)) }
        for number in numbers { last = try stamps.later(last, number) }
        return last
    }

    private func uuid(of writer: Int64) throws -> String {
        let select = try BoundStatement(database, "SELECT uuid FROM tributary_writer WHERE id = ?1")
        select.bind(1, writer)
        return try select.first { $0.text(0) } ?? ""
    }
}
