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
    private let reader: Reader
    private let versions: VersionCache
    private let table: DeferredWriteTable
    private let deletions: LastDeletions

    private var layout: StoreModel { reader.context.layout }

    init(_ reader: Reader, _ versions: VersionCache) {
        self.reader = reader
        self.versions = versions
        table = DeferredWriteTable(db: reader.database)
        deletions = LastDeletions(deferred: table, layout: reader.context.layout, versions: versions)
    }

    private struct Write {
        var entry: DeferredWriteTable.Entry
        var entity: EntityLayout?
        /// The entity's name in the model, or the last name that it had.
        var name: String
        var writer: UniqueID
        var isInsert = false
        /// Whether the transaction of this insert also inserts the object under a greater entity.
        var yields = false

        var place: DeferredObject.Place {
            DeferredObject.Place(position: Int64(entry.position), part: Int64(entry.valueIndex ?? -1))
        }
    }

    /// In the order of the identifiers.
    func forEach(_ body: (DeferredObject) throws -> Void) throws {
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
        try table.forEachByObject { entry in
            let id = entry.change.id
            if id != current { try flush() }
            current = id
            let entity = layout.entity(named: entry.change.entity)
            let name = entity?.entity.name ?? layout.lastName(ofEntity: entry.change.entity)
            let key = entity?.entity.root ?? layout.lastRoot(ofEntity: name)
            let writer = try versions.version(entry.number).writer
            let write = Write(entry: entry, entity: entity, name: name, writer: writer)
            try add(write, to: &objects[key, default: DeferredObject(entity: key, id: id)])
        }
        try flush()
    }

    private func add(_ write: Write, to object: inout DeferredObject) throws {
        try object.begin(write.entry.number, by: versions)
        let operation = write.entry.change.operation
        if operation == .delete { try object.delete(by: versions) }
        if let pairs = operation.pairs { add(pairs, write, to: &object) }
        if let (values, isInsert) = operation.valueWrites {
            var write = write
            write.isInsert = isInsert
            if isInsert, write.entry.valueIndex == nil {
                write.yields = try object.insert(as: write.name, by: versions)
            }
            for value in values { try add(value, write, to: &object) }
        }
    }

    /// The rule is that of the model, or the last one that the property had.
    private func add(_ written: PropertyWrite, _ write: Write, to object: inout DeferredObject) throws {
        let name = written.name
        if let entity = write.entity, isOfAnotherKind(name, isLink: false, entity) { return }
        let property = layout.lastName(ofProperty: name, of: write.name)
        var value = written.value
        var isKept = false
        switch known(name, write) {
        case nil:
            // Only the rule of counters can use an increment.
            if case .object(let members) = value, members.count == 1, let amount = value["increment"] {
                return object.add(amount, to: property, of: write.name, by: write.writer, hasRule: false)
            }
            isKept = true
        case .attribute(let attribute)? where attribute.effectiveRule == .counter:
            if write.isInsert, value == .null { return }
            // A later model may count an amount that does not fit now.
            let isAmount = write.isInsert && CounterTotals.number(value) != nil
            if let amount = isAmount ? value : value["increment"] {
                let counted = attribute.type.amount(from: amount)?.json
                return object.add(counted ?? amount, to: property, of: write.name, by: write.writer)
            }
        case .attribute(let attribute)? where attribute.effectiveRule.isBound:
            if let converted = attribute.value(from: value) {
                let rule = attribute.effectiveRule
                return try object.write(bound: converted, to: property, of: write.name, rule: rule, by: versions)
            }
            isKept = true
        case .attribute(let attribute)?:
            if let converted = attribute.value(from: value) { value = converted.json } else { isKept = true }
        case .relationship?: break
        }
        // A later model may hold what does not fit now, and not what was written after it.
        if isKept {
            return object.keep(
                DeferredObject.Kept(
                    entity: write.name,
                    isInsert: write.isInsert,
                    write: PropertyWrite(name: name, value: value.inKeyOrder),
                    version: write.entry.isBound ? nil : write.entry.number,
                    writer: write.writer,
                    place: write.place
                )
            )
        }
        object.dropKept(name)
        let rank = WrittenName(name, isPresent: name == property)
        object.write(value, to: property, of: write.name, named: rank, yields: write.yields)
    }

    /// The property that tells the rule: that of the model, which cannot hold the value, or a former one.
    private func known(_ name: String, _ write: Write) -> Property? {
        guard let entity = write.entity?.entity, let index = layout.propertyIndex(named: name, of: entity) else {
            return layout.formerProperty(named: name, of: write.name)
        }
        return entity.properties[index]
    }

    private func add(
        _ pairs: (property: String, ids: [UniqueID], positions: [String]?, isLink: Bool),
        _ write: Write,
        to object: inout DeferredObject
    ) {
        let (name, ids, positions, isLink) = pairs
        if let entity = write.entity, isOfAnotherKind(name, isLink: true, entity) { return }
        guard positions.map({ $0.count == ids.count }) ?? true else { return }
        let property = layout.lastName(ofProperty: name, of: write.name)
        let place = known(name, write) == nil ? write.place : nil
        let rank = WrittenName(name, isPresent: name == property)
        for (index, id) in ids.enumerated() {
            // A missing position equals an empty one.
            let position = positions?[index] ?? ""
            let pair = DeferredObject.Pair(property: property, target: id, isLinked: place == nil ? nil : isLink)
            object.link(pair, isLink, at: position, of: write.name, named: rank, place)
        }
    }

    private func isOfAnotherKind(_ name: String, isLink: Bool, _ entity: EntityLayout) -> Bool {
        guard let propertyIndex = layout.propertyIndex(named: name, of: entity.entity) else {
            // The other side of the relationship represents the link now.
            return layout.formerProperty(named: name, of: entity.entity.name)?.relationship != nil
                && layout.counterpart(ofProperty: name, of: entity.entity.name) != nil
        }
        return switch entity.places[propertyIndex] {
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
    private let deferred: DeferredWriteTable
    private let layout: StoreModel
    private let versions: VersionCache
    /// Holds only objects with several deferred deletions, so deferred writes bound its size.
    private var known: [UniqueID: Int64?] = [:]

    init(deferred: DeferredWriteTable, layout: StoreModel, versions: VersionCache) {
        self.deferred = deferred
        self.layout = layout
        self.versions = versions
    }

    /// In any table, or among the deferred deletions.
    func last(of id: UniqueID) throws -> Int64? {
        if let last = known[id] { return last }
        var last: Int64?
        for table in layout.tables { last = try later(last, self.last(of: id, in: table)) }
        let deletions = try deferred.deletions(of: id)
        for number in deletions { last = try later(last, number) }
        if deletions.count > 1 { known[id] = .some(last) }
        return last
    }

    func last(of id: UniqueID, in table: TableLayout) throws -> Int64? {
        let hidden = try BoundStatement(deferred.db, "SELECT deleted FROM tributary_object WHERE root = ?1 AND id = ?2")
        hidden.bind(1, table.code)
        hidden.bind(2, id)
        let visible = try BoundStatement(
            deferred.db,
            "SELECT \(ObjectTable.head(table)) FROM \(table.quotedName) WHERE _id = ?1"
        )
        visible.bind(1, id)
        return try later(
            hidden.first { $0.optionalInteger(0) } ?? nil,
            visible.first { VisibleRow($0, layout: layout).versions.deleted } ?? nil
        )
    }

    private func later(_ first: Int64?, _ second: Int64?) throws -> Int64? {
        guard let second else { return first }
        return try versions.later(first, second)
    }
}
