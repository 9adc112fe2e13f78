import GRDB
import TributaryChanges
import TributaryModel

/// Reads the deferred writes of a store into the merge states of their objects.
///
/// A store that had the property in an older model keeps one value of it, and other stores keep all writes. Both give an
/// equal state if an older version of the model has the rule. Writes that can never take effect in this model are left out.
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
        var name: String
        var writer: UniqueID
        var isInsert = false
    }

    func forEach(_ body: (DeferredObject) throws -> Void) throws {
        var objects: [String: DeferredObject] = [:]
        var current: UniqueID?
        func flush() throws {
            // Many entities may have the ID.
            var counting: [String: Set<UniqueID>] = [:]
            for object in objects.values {
                for (property, totals) in object.totals { counting[property, default: []].formUnion(totals.keys) }
            }
            for (name, object) in objects.sorted(by: { $0.key < $1.key }) {
                var object = object
                object.completeTotals(counting)
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
            let write = Write(entry: entry, name: name, writer: try versions.version(entry.number).writer)
            try add(write, to: &objects[key, default: DeferredObject(entity: key, id: id)])
        }
        try flush()
    }

    private func add(_ write: Write, to object: inout DeferredObject) throws {
        object.begin(write.entry.number)
        let operation = write.entry.change.operation
        if write.entry.isKept {
            guard operation.valueWrites?.isInsert == true else { return }
            let isKnown = layout.entity(named: write.entry.change.entity) != nil
            return try object.insert(as: isKnown ? "" : write.name, by: versions)
        }
        if operation == .delete { try object.delete(by: versions) }
        if let pairs = operation.pairs { try add(pairs, write, to: &object) }
        if let (values, isInsert) = operation.valueWrites {
            var write = write
            write.isInsert = isInsert
            if isInsert, write.entry.valueIndex == nil { try object.insert(as: write.name, by: versions) }
            for value in values { try add(value, write, to: &object) }
        }
    }

    /// The rule comes from the model, or is the last rule that the property had.
    private func add(_ written: PropertyWrite, _ write: Write, to object: inout DeferredObject) throws {
        let property = layout.lastName(ofProperty: written.name, of: write.name)
        var value = written.value
        switch layout.meaning(of: written.name, in: write.entry.change.entity, isLink: false) {
        case .none: return
        case .unknown:
            // Only the rule of counters can use an increment.
            if let amount = value.increment {
                return object.add(amount, to: property, of: write.name, by: write.writer, hasRule: false)
            }
            return keep(written, write, in: &object)
        case .known(.attribute(let attribute)) where attribute.effectiveRule == .counter:
            if write.isInsert, value == .null { return }
            // A later model may count an amount that does not fit now.
            let isAmount = write.isInsert && CounterTotals.number(value) != nil
            if let amount = isAmount ? value : value["increment"] {
                let counted = attribute.type.amount(from: amount)?.json
                return object.add(counted ?? amount, to: property, of: write.name, by: write.writer)
            }
        case .known(.attribute(let attribute)):
            // A later model may accept a value that does not fit now, and reject a later value.
            guard let converted = attribute.value(from: value) else { return keep(written, write, in: &object) }
            if attribute.effectiveRule.isBound {
                let rule = attribute.effectiveRule
                return try object.write(bound: converted, to: property, of: write.name, rule: rule, by: versions)
            }
            value = converted.json
        case .known(.relationship):
            // Other values of a relationship never take effect.
            guard ValueConverter.reference(value) != nil else { return }
        }
        try object.write(value, to: property, of: write.name, by: versions)
    }

    private func keep(_ written: PropertyWrite, _ write: Write, in object: inout DeferredObject) {
        let value = written.value.inKeyOrder
        if write.entry.isBound {
            object.bounds.append(.init(entity: write.name, write: PropertyWrite(name: written.name, value: value)))
        } else if write.isInsert, let number = CounterTotals.number(value) {
            object.amounts.append(
                .init(
                    entity: write.name,
                    property: written.name,
                    value: value,
                    version: write.entry.number,
                    writer: write.writer,
                    number: number
                )
            )
        }
    }

    private func add(
        _ pairs: (property: String, ids: [UniqueID], positions: [String]?, isLink: Bool),
        _ write: Write,
        to object: inout DeferredObject
    ) throws {
        let (name, ids, positions, isLink) = pairs
        guard positions.map({ $0.count == ids.count }) ?? true,
            case .known = layout.meaning(of: name, in: write.entry.change.entity, isLink: true)
        else { return }
        let property = layout.lastName(ofProperty: name, of: write.name)
        for (index, id) in ids.enumerated() {
            // A missing position equals an empty one.
            let position = positions?[index] ?? ""
            let pair = DeferredObject.Pair(property: property, target: id)
            try object.link(pair, isLink, at: position, of: write.name, by: versions)
        }
    }
}

/// Finds the last deletion of each object, in the tables and among the deferred deletions.
private final class LastDeletions {
    private let deferred: DeferredWriteTable
    private let layout: StoreModel
    private let versions: VersionCache
    /// Contains only objects with several deferred deletions, because finding their last deletion takes many rows.
    private var known: [UniqueID: Int64?] = [:]

    init(deferred: DeferredWriteTable, layout: StoreModel, versions: VersionCache) {
        self.deferred = deferred
        self.layout = layout
        self.versions = versions
    }

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
        hidden.bindAll(table.code, id)
        let visible = try BoundStatement(
            deferred.db,
            "SELECT \(ObjectTable.head(table)) FROM \(table.quotedName) WHERE _id = \(value: id)"
        )
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
