import GRDB
import TributaryChanges
import TributaryModel

/// Reads the deferred writes of a store into the merge states of their objects.
///
/// A store whose model once had the property keeps only one value, by the rule of the property; a store whose model
/// never had it keeps all writes. Both give an equal state while an older version of the model tells the rule. Without
/// a rule, all writes are kept: they supersede nothing, and nothing supersedes them. A write that does not fit a
/// property of the model (an ID for a to-many relationship, say) is left out: it never takes effect in this model.
struct DeferredState {
    private let database: Database
    private let layout: StoreModel
    private let versions: VersionCache
    private let deletions: LastDeletions

    init(database: Database, layout: StoreModel, versions: VersionCache) {
        self.database = database
        self.layout = layout
        self.versions = versions
        deletions = LastDeletions(database: database, layout: layout, versions: versions)
    }

    private struct Entry {
        var entity: Entity?
        /// The entity's name in the model, or the last name that it had.
        var name: String
        var version: Int64
        var writer: UniqueID
        var isInsert: Bool
        var isBound: Bool
        var place: DeferredObject.Place
        /// Whether the transaction of this insert also inserts the object under a greater entity.
        var yields = false
    }

    /// In the order of the identifiers.
    func forEach(_ body: (DeferredObject) throws -> Void) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT p.entity, p.id, p.version, p.position, p.part, p.operation, p.property, p.value, w.uuid
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            JOIN tributary_writer w ON w.id = t.writer
            ORDER BY p.id, p.version, p.position, p.part
            """
        )
        var objects: [String: DeferredObject] = [:]
        var current: UniqueID?
        func flush() throws {
            for (name, object) in objects.sorted(by: { $0.key < $1.key }) {
                var object = object
                object.completeTotals(like: objects.values)
                let stored = try layout.table(rootEntity: name).flatMap { try deletions.last(of: object.id, in: $0) }
                try object.end(deletedAt: stored, by: versions) { try deletions.last(of: $0) }
                try body(object)
            }
            objects = [:]
        }
        try select.forEach { row in
            guard let id = row.id(1) else { return }
            if id != current { try flush() }
            current = id
            let entity = layout.entity(named: row.text(0))?.entity
            let name = entity?.name ?? layout.lastName(ofEntity: row.text(0))
            let key = entity?.root ?? layout.lastRoot(ofEntity: name)
            let entry = Entry(
                entity: entity,
                name: name,
                version: row.integer(2),
                writer: UniqueID(row.text(8)) ?? Version.none.writer,
                isInsert: row.text(5) == "insert",
                isBound: row.text(5) == DeferredWriteTable.Content.bound,
                place: DeferredObject.Place(position: row.integer(3), part: row.integer(4))
            )
            try add(row, entry, to: &objects[key, default: DeferredObject(entity: key, id: id)])
        }
        try flush()
    }

    private func add(_ row: BoundStatement, _ entry: Entry, to object: inout DeferredObject) throws {
        var entry = entry
        let json = row.optionalText(7).flatMap { JSONValue(text: $0) }
        try object.begin(entry.version, by: versions)
        switch row.text(5) {
        case "delete": try object.delete(by: versions)
        case "link", "unlink": addPairs(row, json, entry, to: &object)
        default:
            if row.integer(4) < 0, entry.isInsert {
                entry.yields = try object.insert(as: entry.name, by: versions)
            }
            if let property = row.optionalText(6), let json {
                try add(property, json, entry, to: &object)
            } else if case .object(let members)? = json {
                for member in members { try add(member.key, member.value, entry, to: &object) }
            }
        }
    }

    /// The rule is that of the model, or the last one that the property had.
    private func add(_ name: String, _ value: JSONValue, _ entry: Entry, to object: inout DeferredObject) throws {
        if let entity = entry.entity, isOfAnotherKind(name, isLink: false, entity) { return }
        let property = layout.lastName(ofProperty: name, of: entry.name)
        var value = value
        var isKept = false
        switch known(name, entry) {
        case nil:
            // Only the rule of counters can use an increment.
            if case .object(let members) = value, members.count == 1, let amount = value["increment"] {
                return object.add(amount, to: property, of: entry.name, by: entry.writer, hasRule: false)
            }
            isKept = true
        case .attribute(let attribute)? where attribute.effectiveRule == .counter:
            if entry.isInsert, value == .null { return }
            // A later model may count an amount that does not fit now.
            let isAmount = entry.isInsert && CounterTotals.number(value) != nil
            if let amount = isAmount ? value : value["increment"] {
                let counted = ValueConverter.counted(amount, type: attribute.type)?.json
                return object.add(counted ?? amount, to: property, of: entry.name, by: entry.writer)
            }
        case .attribute(let attribute)? where attribute.effectiveRule.isBound:
            if let converted = attribute.value(from: value) {
                let rule = attribute.effectiveRule
                return try object.write(bound: converted, to: property, of: entry.name, rule: rule, by: versions)
            }
            isKept = true
        case .attribute(let attribute)?:
            if let converted = attribute.value(from: value) { value = converted.json } else { isKept = true }
        case .relationship?: break
        }
        // A later model may hold what does not fit now, and not what was written after it.
        if isKept {
            let write = PropertyWrite(name: name, value: value.inKeyOrder)
            return object.keep(
                DeferredObject.Kept(
                    entity: entry.name,
                    isInsert: entry.isInsert,
                    write: write,
                    version: entry.isBound ? nil : entry.version,
                    writer: entry.writer,
                    place: entry.place
                )
            )
        }
        object.dropKept(name)
        let written = WrittenName(name, isPresent: name == property)
        object.write(value, to: property, of: entry.name, named: written, yields: entry.yields)
    }

    /// The property that tells the rule: that of the model, which cannot hold the value, or a former one.
    private func known(_ name: String, _ entry: Entry) -> Property? {
        guard let entity = entry.entity, let index = layout.propertyIndex(named: name, of: entity) else {
            return layout.formerProperty(named: name, of: entry.name)
        }
        return entity.properties[index]
    }

    private func addPairs(
        _ row: BoundStatement,
        _ json: JSONValue?,
        _ entry: Entry,
        to object: inout DeferredObject
    ) {
        if let entity = entry.entity, isOfAnotherKind(row.text(6), isLink: true, entity) { return }
        let property = layout.lastName(ofProperty: row.text(6), of: entry.name)
        func texts(_ key: String) -> [String] {
            guard case .array(let values)? = json?[key] else { return [] }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let (targets, positions) = (texts("ids"), texts("positions"))
        guard json?["positions"] == nil || positions.count == targets.count else { return }
        let isLink = row.text(5) == "link"
        let place = known(row.text(6), entry) == nil ? entry.place : nil
        let written = WrittenName(row.text(6), isPresent: row.text(6) == property)
        for (index, target) in targets.enumerated() {
            guard let id = UniqueID(target) else { continue }
            // A missing position equals an empty one.
            let position = isLink && positions.indices.contains(index) ? positions[index] : ""
            let pair = DeferredObject.Pair(property: property, target: id, isLinked: place == nil ? nil : isLink)
            object.link(pair, isLink, at: position, of: entry.name, named: written, place)
        }
    }

    private func isOfAnotherKind(_ name: String, isLink: Bool, _ entity: Entity) -> Bool {
        guard let known = layout.entity(named: entity.name) else { return false }
        guard let propertyIndex = layout.propertyIndex(named: name, of: entity) else {
            // The other side of the relationship represents the link now.
            return layout.formerProperty(named: name, of: entity.name)?.relationship != nil
                && layout.counterpart(ofProperty: name, of: entity.name) != nil
        }
        return switch known.places[propertyIndex] {
        case .column: isLink
        case .inverseColumn: true
        case .inverse, .links: !isLink
        case .none: false
        }
    }
}

/// Finds the last deletion of each object, in the tables and among the deferred deletions.
///
/// Many links may lead to an object with many deferred deletions, so a deletion that took many rows to find is cached.
private final class LastDeletions {
    private let database: Database
    private let layout: StoreModel
    private let versions: VersionCache
    /// Holds only objects with several deferred deletions, so deferred writes bound its size.
    private var known: [UniqueID: Int64?] = [:]

    init(database: Database, layout: StoreModel, versions: VersionCache) {
        self.database = database
        self.layout = layout
        self.versions = versions
    }

    /// In any table, or among the deferred deletions.
    func last(of id: UniqueID) throws -> Int64? {
        if let last = known[id] { return last }
        var last: Int64?
        for table in layout.tables { last = try later(last, self.last(of: id, in: table)) }
        let deferred = try deferredDeletions(of: id)
        for number in deferred { last = try later(last, number) }
        if deferred.count > 1 { known[id] = .some(last) }
        return last
    }

    func last(of id: UniqueID, in table: TableLayout) throws -> Int64? {
        let hidden = try BoundStatement(database, "SELECT deleted FROM tributary_object WHERE root = ?1 AND id = ?2")
        hidden.bind(1, table.code)
        hidden.bind(2, id)
        let visible = try BoundStatement(
            database,
            "SELECT \(ObjectTable.head(table)) FROM \(table.quotedName) WHERE _id = ?1"
        )
        visible.bind(1, id)
        return try later(
            hidden.first { $0.optionalInteger(0) } ?? nil,
            visible.first { VisibleRow($0, layout: layout).versions.deleted } ?? nil
        )
    }

    private func deferredDeletions(of id: UniqueID) throws -> [Int64] {
        let select = try BoundStatement(
            database,
            "SELECT version FROM tributary_parked WHERE id = ?1 AND operation = 'delete'"
        )
        select.bind(1, id)
        var numbers: [Int64] = []
        try select.forEach { numbers.append($0.integer(0)) }
        return numbers
    }

    private func later(_ first: Int64?, _ second: Int64?) throws -> Int64? {
        guard let second else { return first }
        return try versions.later(first, second)
    }
}
