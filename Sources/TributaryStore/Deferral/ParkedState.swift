import GRDB
import TributaryChanges
import TributaryModel

/// The parked writes of a store as canonical lines: of each value the newest write, of counts the sum of each writer.
///
/// A store that had the entity or property before it was taken out of the model keeps only the newest of its values, or
/// the greatest or least by the property's rule, and one that never had it keeps all that came in: the lines are the same
/// for both, as far as the older versions of the model are known that tell the rule. What names a property that the model
/// has, but of another kind (an ID for a to-many relationship, say), is left out: it never takes effect in this model.
struct ParkedState {
    let database: Database
    let layout: StoreModel
    let stamps: Stamps
    let text: (Int64) throws -> String
    private let deletions: LastDeletions

    init(database: Database, layout: StoreModel, stamps: Stamps, text: @escaping (Int64) throws -> String) {
        self.database = database
        self.layout = layout
        self.stamps = stamps
        self.text = text
        deletions = LastDeletions(database: database, layout: layout, stamps: stamps)
    }

    private typealias Object = ParkedObject
    private typealias Write = ParkedObject.Write
    private typealias Pair = ParkedObject.Pair

    /// A row of the table of what is parked.
    private struct Parked {
        /// The entity of the model that it names; nil when there is none.
        var entity: Entity?
        /// What the entity is called: that of the model, or the last name that it had.
        var name: String
        var write: Write
        var writer: Int64
        var isInsert: Bool
    }

    func forEachLine(_ emit: (String) -> Void) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT p.entity, p.id, p.version, p.position, p.part, p.operation, p.property, p.value, t.writer
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version & \(VersionNumber.transactionMask)
            ORDER BY p.id
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
            let name = entity?.name ?? layout.lastName(ofEntity: row.text(0))
            let key = entity?.root ?? layout.lastRoot(ofEntity: name)
            var object = objects[key] ?? Object(entity: key, id: id)
            let parked = Parked(
                entity: entity,
                name: name,
                write: Write(
                    number: VersionNumber.number(row.integer(2), atLeast: Int(row.integer(3))),
                    order: [row.integer(3), row.integer(4)],
                    value: ""
                ),
                writer: row.integer(8),
                isInsert: row.text(5) == "insert"
            )
            try add(row, parked, to: &object)
            objects[key] = object
        }
        try flush()
        for line in lines.sorted() { emit(line) }
    }

    // MARK: Reading

    private func add(_ row: BoundStatement, _ parked: Parked, to object: inout Object) throws {
        let json = row.optionalText(7).flatMap { JSONValue(text: $0) }
        switch row.text(5) {
        case "delete": object.deleted = try newer(object.deleted, parked.write)
        case "link", "unlink": try addPairs(row, json, parked, to: &object)
        default:
            if row.integer(4) < 0, parked.isInsert {
                object.inserted = try newer(object.inserted, parked.write)
            }
            if let property = row.optionalText(6), let json {
                try add(property, json, parked, to: &object)
            } else if case .object(let members)? = json {
                for member in members { try add(member.key, member.value, parked, to: &object) }
            }
        }
    }

    /// One value: it counts by the rule that its property had when it was last in the model.
    private func add(_ name: String, _ value: JSONValue, _ parked: Parked, to object: inout Object) throws {
        if let entity = parked.entity, isOfAnotherKind(name, isLink: false, entity) { return }
        let property = layout.lastName(ofProperty: name, of: parked.name)
        var value = value
        if let attribute = layout.formerProperty(named: name, of: parked.name)?.attribute {
            switch attribute.effectiveRule {
            case .counter:
                if parked.isInsert, value == .null { return }
                if let amount = Applier.increment(value, type: attribute.type, isInsert: parked.isInsert) {
                    return object.add(count: amount.json, to: property, by: parked.writer)
                }
            case .max, .min:
                if let converted = attribute.value(from: value) {
                    return object.add(extreme: converted, to: property, rule: attribute.effectiveRule)
                }
            case .latest: value = attribute.value(from: value)?.json ?? value
            }
        } else if case .object(let members) = value, members.count == 1, let amount = value["increment"] {
            return object.add(count: amount, to: property, by: parked.writer)
        }
        var write = parked.write
        write.value = value.parkedForm
        object.values[property] = try newer(object.values[property], write)
    }

    private func addPairs(
        _ row: BoundStatement,
        _ json: JSONValue?,
        _ parked: Parked,
        to object: inout Object
    ) throws {
        if let entity = parked.entity, isOfAnotherKind(row.text(6), isLink: true, entity) { return }
        let property = layout.lastName(ofProperty: row.text(6), of: parked.name)
        func texts(_ key: String) -> [String] {
            guard case .array(let values)? = json?[key] else { return [] }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let isLink = row.text(5) == "link"
        let positions = texts("positions")
        for (index, target) in texts("ids").enumerated() {
            guard let id = UniqueID(target) else { continue }
            var write = parked.write
            // No position is the same as an empty one.
            let place = positions.indices.contains(index) ? positions[index] : ""
            let position = place.isEmpty ? "" : " at \(JSONValue.string(place).text)"
            write.value = (isLink ? "linked" : "unlinked") + (isLink ? position : "")
            let pair = Pair(property: property, target: id)
            object.pairs[pair] = try newer(object.pairs[pair], write)
        }
    }

    private func isOfAnotherKind(_ name: String, isLink: Bool, _ entity: Entity) -> Bool {
        guard let known = layout.entity(named: entity.name) else { return false }
        guard let slot = layout.slot(named: name, of: entity) else {
            // The other side of the relationship says it now.
            return layout.formerProperty(named: name, of: entity.name)?.relationship != nil
                && layout.counterpart(ofProperty: name, of: entity.name) != nil
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

    // MARK: Lines

    private func lines(of object: Object) throws -> [String] {
        let head = "parked \(JSONValue.string(object.entity).text) \(object.id)"
        var lines: [String] = []
        let stored = try layout.table(rootEntity: object.entity).flatMap { try deletions.last(of: object.id, in: $0) }
        func isVoid(_ write: Write) throws -> Bool {
            if let stored, try stamps.isOlder(write.number, than: stored) { return true }
            guard let deleted = object.deleted else { return false }
            if write.number == deleted.number { return write.order.lexicographicallyPrecedes(deleted.order) }
            return try stamps.isOlder(write.number, than: deleted.number)
        }
        if let deleted = object.deleted { lines.append("\(head) deleted \(try text(deleted.number))") }
        if let inserted = object.inserted, try !isVoid(inserted) {
            lines.append("\(head) inserted \(try text(inserted.number))")
        }
        for (property, write) in object.values where try !isVoid(write) {
            let name = JSONValue.string(property).text
            lines.append("\(head) \(name) = \(write.value) at \(try text(write.number))")
        }
        for (property, value) in object.extremes {
            lines.append("\(head) \(JSONValue.string(property).text) = \(value.json.parkedForm)")
        }
        for (property, counts) in object.counts {
            for (writer, sum) in counts {
                let name = JSONValue.string(property).text
                lines.append("\(head) \(name) counts \(sum.parkedForm) by \(try uuid(of: writer))")
            }
        }
        for (pair, write) in object.pairs where try !isVoid(write) {
            if let deleted = try deletions.last(of: pair.target),
                try stamps.isOlder(write.number, than: deleted)
            {
                continue
            }
            let name = JSONValue.string(pair.property).text
            lines.append("\(head) \(name) \(pair.target) \(write.value) \(try text(write.number))")
        }
        return lines
    }

    private func uuid(of writer: Int64) throws -> String {
        let select = try BoundStatement(database, "SELECT uuid FROM tributary_writer WHERE id = ?1")
        select.bind(1, writer)
        return try select.first { $0.text(0) } ?? ""
    }
}
