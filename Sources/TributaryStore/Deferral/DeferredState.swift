import GRDB
import TributaryChanges
import TributaryModel

/// The deferred writes of a store in canonical form: the winning write of each value, and counter totals by writer.
///
/// A store whose model once had the entity or property keeps only the newest value, or the greatest or least one by the
/// property's rule. A store whose model never had it keeps all writes. The result is equal for both stores, as long as
/// the older versions of the model, which tell the rule, are known. Where none tells it, all writes survive: they
/// supersede nothing, and nothing supersedes them. A write that does not fit a property of the model (an ID for a to-many
/// relationship, say) is left out: it never takes effect in this model.
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

    private typealias Object = DeferredObject
    private typealias Write = DeferredObject.Write
    private typealias Pair = DeferredObject.Pair

    /// The key of writes without a known rule.
    private struct Kept: Hashable {
        var entity: String
        var property: String
        var version: Int64?

        init(_ write: DeferredObject.Kept) {
            (entity, property, version) = (write.entity, write.write.name, write.version)
        }
    }

    private struct Entry {
        var entity: Entity?
        /// The entity's name in the model, or the last name that it had.
        var name: String
        var version: Int64
        var writer: Int64
        var isInsert: Bool
        var isBound: Bool
        var place: DeferredObject.Place
        /// Whether it is an insert whose transaction inserts the object under a greater entity as well.
        var yields = false
    }

    /// Calls `emit` with each surviving write, object after object.
    func forEach(_ emit: (DeferredSurvivor) throws -> Void) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT p.entity, p.id, p.version, p.position, p.part, p.operation, p.property, p.value, t.writer
            FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            ORDER BY p.id, p.version, p.position, p.part
            """
        )
        var objects: [String: Object] = [:]
        var current: UniqueID?
        func flush() throws {
            for (_, var object) in objects.sorted(by: { $0.key < $1.key }) {
                object.completeTotals(like: objects.values)
                try survivors(of: object, emit)
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
                writer: row.integer(8),
                isInsert: row.text(5) == "insert",
                isBound: row.text(5) == DeferredWriteTable.Content.bound,
                place: DeferredObject.Place(position: row.integer(3), part: row.integer(4))
            )
            try add(row, entry, to: &objects[key, default: Object(entity: key, id: id)])
        }
        try flush()
    }

    // MARK: Reading

    private func add(_ row: BoundStatement, _ entry: Entry, to object: inout Object) throws {
        var entry = entry
        let json = row.optionalText(7).flatMap { JSONValue(text: $0) }
        switch row.text(5) {
        case "delete": object.deleted = try versions.later(object.deleted, entry.version)
        case "link", "unlink": try addPairs(row, json, entry, to: &object)
        default:
            if row.integer(4) < 0, entry.isInsert {
                try object.insert(at: entry.version, entity: entry.name, by: versions)
                if object.inserted == entry.version, let greatest = object.insertedEntity {
                    entry.yields = entry.name.precedesByBytes(greatest)
                }
            }
            if let property = row.optionalText(6), let json {
                try add(property, json, entry, to: &object)
            } else if case .object(let members)? = json {
                for member in members { try add(member.key, member.value, entry, to: &object) }
            }
        }
    }

    /// Adds one value by the rule that its property has, or had when it was last in the model.
    private func add(_ name: String, _ value: JSONValue, _ entry: Entry, to object: inout Object) throws {
        if let entity = entry.entity, isOfAnotherKind(name, isLink: false, entity) { return }
        let property = layout.lastName(ofProperty: name, of: entry.name)
        var value = value
        var isKept = false
        switch known(name, entry) {
        case nil:
            // No rule but that of counters can make something of an increment.
            if case .object(let members) = value, members.count == 1, let amount = value["increment"] {
                return object.add(amount, to: property, of: entry.name, by: entry.writer, hasRule: false)
            }
            isKept = true
        case .attribute(let attribute)? where attribute.effectiveRule == .counter:
            if entry.isInsert, value == .null { return }
            let amount = ValueConverter.increment(value, type: attribute.type, isInsert: entry.isInsert)?.json
            if let amount = amount ?? value["increment"] {
                return object.add(amount, to: property, of: entry.name, by: entry.writer)
            }
        case .attribute(let attribute)? where attribute.effectiveRule.isBound:
            if let converted = attribute.value(from: value) {
                object.name(property, by: entry.name)
                return object.merge(extreme: converted, into: property, rule: attribute.effectiveRule)
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
                Object.Kept(
                    entity: entry.name,
                    isInsert: entry.isInsert,
                    write: write,
                    version: entry.isBound ? nil : entry.version,
                    writer: entry.writer,
                    place: entry.place
                )
            )
        }
        object.dropKept(name, at: entry.version)
        let written = WrittenName(name, isPresent: name == property)
        try object.merge(
            Write(version: entry.version, value: value),
            named: written,
            yields: entry.yields,
            into: property,
            by: versions
        )
        if try object.value(of: property, by: versions)?.version == entry.version {
            object.name(property, by: entry.name, isWinning: true)
        }
    }

    /// The property that tells the rule of a write: that of the model, which cannot hold the value, or a former one.
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
        to object: inout Object
    ) throws {
        if let entity = entry.entity, isOfAnotherKind(row.text(6), isLink: true, entity) { return }
        let property = layout.lastName(ofProperty: row.text(6), of: entry.name)
        func texts(_ key: String) -> [String] {
            guard case .array(let values)? = json?[key] else { return [] }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        let (targets, positions) = (texts("ids"), texts("positions"))
        guard json?["positions"] == nil || positions.count == targets.count else { return }
        object.name(property, by: entry.name)
        let isLink = row.text(5) == "link"
        let place = known(row.text(6), entry) == nil ? entry.place : nil
        for (index, target) in targets.enumerated() {
            guard let id = UniqueID(target) else { continue }
            // A missing position equals an empty one.
            let position = isLink && positions.indices.contains(index) ? positions[index] : ""
            let value = DeferredObject.PairValue(isLinked: isLink, position: position, place: place)
            let write = DeferredObject.PairWrite(version: entry.version, value: value)
            let written = WrittenName(row.text(6), isPresent: row.text(6) == property)
            let pair = Pair(property: property, target: id, isLinked: place == nil ? nil : isLink)
            try object.merge(write, named: written, into: pair, by: versions)
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

    // MARK: Survivors

    private func survivors(of object: Object, _ emit: (DeferredSurvivor) throws -> Void) throws {
        let stored = try layout.table(rootEntity: object.entity).flatMap { try deletions.last(of: object.id, in: $0) }
        func isSuperseded(_ version: Int64) throws -> Bool {
            try versions.isSuperseded(version, by: stored) || versions.isSuperseded(version, by: object.deleted)
        }
        func keep(_ kind: DeferredSurvivor.Kind, of property: String? = nil) throws {
            let named = property.flatMap { object.names[$0] } ?? object.entity
            try emit(DeferredSurvivor(entity: object.entity, id: object.id, named: named, kind: kind))
        }
        if let deleted = object.deleted { try keep(.deleted(deleted)) }
        if let inserted = object.inserted, try !isSuperseded(inserted) {
            try keep(.inserted(inserted, entity: object.insertedEntity ?? object.entity))
        }
        for property in object.values.keys {
            guard let write = try object.value(of: property, by: versions), try !isSuperseded(write.version) else {
                continue
            }
            try keep(.value(property: property, write.value, write.version), of: property)
        }
        var layers: [Kept: Int] = [:]
        for kept in object.kept {
            let layer = layers[Kept(kept), default: 0]
            layers[Kept(kept)] = layer + 1
            try emit(
                DeferredSurvivor(
                    entity: object.entity,
                    id: object.id,
                    named: kept.entity,
                    kind: .kept(kept, layer: layer)
                )
            )
        }
        for (property, value) in object.extremes { try keep(.extreme(property: property, value), of: property) }
        for (property, totals) in object.totals {
            for (writer, sum) in try byWriter(totals) {
                try keep(.total(property: property, sum, writer: writer))
            }
        }
        for (pair, contest) in object.pairs {
            guard let write = try contest.winner(by: versions) else { continue }
            // A pair without a rule may be kept with one end only, and outlive the other.
            if write.value.place == nil {
                let isDeleted = try versions.isSuperseded(write.version, by: deletions.last(of: pair.target))
                if try isDeleted || isSuperseded(write.version) { continue }
            }
            let kind = DeferredSurvivor.Kind.pair(
                property: pair.property,
                target: pair.target,
                write.value,
                write.version
            )
            try keep(kind, of: pair.property)
        }
    }

    private func byWriter(_ totals: [Int64: Object.Total]) throws -> [String: Object.Total] {
        var found: [String: Object.Total] = [:]
        for (writer, total) in totals { found[try uuid(of: writer)] = total }
        return found
    }

    private func uuid(of writer: Int64) throws -> String {
        let select = try BoundStatement(database, "SELECT uuid FROM tributary_writer WHERE id = ?1")
        select.bind(1, writer)
        return try select.first { $0.text(0) } ?? ""
    }
}
