import GRDB
import TributaryChanges
import TributaryModel

/// The merge state of a store, as the log changes that still have an effect; costs one pass over the tables.
final class BaselineState {
    private let reader: Reader
    private let layout: StoreModel
    private let names: BaselineNames
    private let versions: VersionCache

    init(reader: Reader) throws {
        self.reader = reader
        layout = reader.context.layout
        names = BaselineNames(layout)
        versions = try VersionCache(reader.database)
    }

    func forEach(_ emit: (BaselineItem) throws -> Void) throws {
        try MergeState(reader: reader, versions: versions, includesShown: false).forEach { item in
            switch item {
            case .object(let object): try changes(of: object, emit)
            case .pair(let pair): try change(of: pair, emit)
            case .counter(let counter):
                guard let name = names.columns[counter.column] else { return }
                let totals = counter.totals.compactMap { writer, total in UniqueID(writer).map { ($0, total.json) } }
                let sums = Dictionary(totals) { first, _ in first }
                let item = BaselineCounter(entity: name.entity, id: counter.id, property: name.property, totals: sums)
                if !sums.isEmpty { try emit(BaselineItem(entry: .counter(item))) }
            case .deferred(let object):
                try changes(of: object, emit)
                try changes(ofPairsOf: object, emit)
                let counters = try totals(of: object) + insertTotals(of: object)
                for counter in counters { try emit(BaselineItem(entry: .counter(counter))) }
            }
        }
        try KeptLines(reader).forEach { number, index, change in
            let (version, sequence) = try (versions.version(number), versions.origin(number).sequence)
            try emit(BaselineItem(entry: .kept(change), version: version, sequence: sequence, index: index))
        }
    }

    /// The amounts of deferred inserts by writers that also have a total of that name; the total does not include them.
    private func insertTotals(of object: DeferredObject) throws -> [BaselineCounter] {
        var found: [[String]: (counter: BaselineCounter, total: PropertyValue)] = [:]
        for amount in object.uncountedAmounts {
            let (entity, property, writer) = (amount.entity, amount.property, amount.writer)
            guard try hasTotal(of: object.id, property, writer: versions.origin(amount.version).writer) else {
                continue
            }
            let key = [entity, property, writer.description]
            let total = CounterTotals.sum(found[key]?.total, amount.number)
            let totals = [writer: total.json]
            found[key] = (BaselineCounter(entity: entity, id: object.id, property: property, totals: totals), total)
        }
        return found.values.map(\.counter)
    }

    private func hasTotal(of id: UniqueID, _ property: String, writer: Int64) throws -> Bool {
        let counters = CounterTable(reader.database, layout: layout)
        return try layout.entities.contains { entity in
            guard let column = layout.column(of: property, in: entity) else { return false }
            return try counters.total(writer: writer, of: id, column) != nil
        }
    }

    private func totals(of object: DeferredObject) -> [BaselineCounter] {
        object.totals.flatMap { property, totals in
            totals.flatMap { writer, total in
                total.parts.map { part, sum in
                    let sums = [writer: sum.inKeyOrder]
                    return BaselineCounter(entity: part.entity, id: object.id, property: property, totals: sums)
                }
            }
        }
    }

    private struct Group: Hashable {
        var number: Int64
        var entity: String
    }

    private func changes(of object: MergeStateItem.Object, _ emit: (BaselineItem) throws -> Void) throws {
        var writes: [Group: [PropertyWrite]] = [:]
        for column in object.columns {
            guard let register = column.register else { continue }
            let index = StoreModel.ColumnIndex(table: object.table.index, column: column.index)
            guard let name = name(of: index, in: object.insert?.entity) else { continue }
            let write = PropertyWrite(name: name.property, value: try json(register.value))
            if layout[index].mergeRule.isBound {
                let bound = BaselineBound(entity: name.entity, id: object.id, write: write)
                try emit(BaselineItem(entry: .bound(bound)))
                continue
            }
            writes[Group(number: register.version, entity: name.entity), default: []].append(write)
        }
        let insert = object.insert.map { Group(number: $0.version, entity: $0.entity.entity.name) }
        try self.emit(writes, of: object.id, object.table.root.name, deleted: object.deleted, insert, emit)
    }

    /// Writes deferred values in the same form, whether or not the store once had the property.
    ///
    /// Targets of relationships are in lower case. Other values keep their type for a later model, unlike in digests.
    private func changes(of object: DeferredObject, _ emit: (BaselineItem) throws -> Void) throws {
        var writes: [Group: [PropertyWrite]] = [:]
        for (name, register) in object.registers {
            let (value, entity) = (register.value.json, register.value.entity)
            guard name.rule.comparesVersions else {
                let write = PropertyWrite(name: name.property, value: value)
                let bound = BaselineBound(entity: entity, id: object.id, write: write)
                try emit(BaselineItem(entry: .bound(bound)))
                continue
            }
            let former = layout.formerProperty(named: name.property, of: entity)
            let canonical = former?.relationship == nil ? value.inKeyOrder : value.withPlainID
            let group = Group(number: register.version, entity: entity)
            writes[group, default: []].append(PropertyWrite(name: name.property, value: canonical))
        }
        for bound in object.bounds {
            let bound = BaselineBound(entity: bound.entity, id: object.id, write: bound.write)
            try emit(BaselineItem(entry: .bound(bound)))
        }
        let insert = object.insert.flatMap { insert in
            let change = Change(entity: insert.entity, id: object.id, operation: .insert([]))
            return layout.isUnsettled(change) ? nil : Group(number: insert.version, entity: insert.entity)
        }
        try self.emit(writes, of: object.id, object.entity, deleted: object.deletion, insert, isDeferred: true, emit)
    }

    private func emit(
        _ writes: [Group: [PropertyWrite]],
        of id: UniqueID,
        _ root: String,
        deleted: Int64?,
        _ insert: Group?,
        isDeferred: Bool = false,
        _ emit: (BaselineItem) throws -> Void
    ) throws {
        if let deleted { try self.emit(Change(entity: root, id: id, operation: .delete), at: deleted, emit) }
        var writes = writes
        if let insert {
            let operation = Change.Operation.insert(writes.removeValue(forKey: insert) ?? [])
            try self.emit(Change(entity: insert.entity, id: id, operation: operation), at: insert.number, emit)
        }
        for (group, values) in writes {
            let change = Change(entity: group.entity, id: id, operation: .update(values))
            try self.emit(change, at: group.number, isDeferred: isDeferred, emit)
        }
    }

    private func name(
        of column: StoreModel.ColumnIndex,
        in entity: EntityLayout?
    ) -> (entity: String, property: String)? {
        guard let entity, let index = entity.places.firstIndex(of: .column(column.column)) else {
            return names.columns[column]
        }
        return (entity.entity.name, entity.entity.properties[index].name)
    }

    private func json(_ value: PropertyValue) throws -> JSONValue {
        guard case .blob(_, let size) = value, size <= BlobFolder.threshold else { return value.json }
        return try reader.context.whole(value).json
    }

    private func change(of pair: MergeStateItem.Pair, _ emit: (BaselineItem) throws -> Void) throws {
        guard let name = names.pairs[pair.link.index] else { return }
        let operation = Change.Operation(
            to: name.property,
            ids: [pair.target],
            positions: pair.position.map { [$0] },
            isLink: pair.isLinked
        )
        let change = Change(entity: name.entity, id: pair.source, operation: operation)
        try self.emit(change, at: pair.version, emit)
    }

    private func changes(ofPairsOf object: DeferredObject, _ emit: (BaselineItem) throws -> Void) throws {
        struct Pairs: Hashable {
            var number: Int64
            var property: String
            var isLink: Bool
        }
        var pairs: [Pairs: [UniqueID: String]] = [:]
        for (pair, link) in object.pairs {
            let key = Pairs(number: link.version, property: pair.property, isLink: !link.isRemoved)
            pairs[key, default: [:]][pair.target] = link.position ?? ""
        }
        for (key, targets) in pairs {
            let sorted = targets.sorted { $0.key < $1.key }
            // A missing position equals an empty position.
            let positions = sorted.allSatisfy(\.value.isEmpty) ? nil : sorted.map(\.value)
            let operation = Change.Operation(
                to: key.property,
                ids: sorted.map(\.key),
                positions: positions,
                isLink: key.isLink
            )
            let entity = object.owners[key.property] ?? object.entity
            let change = Change(entity: entity, id: object.id, operation: operation)
            try self.emit(change, at: key.number, emit)
        }
    }

    private func emit(
        _ change: Change,
        at number: Int64,
        isDeferred: Bool = false,
        _ emit: (BaselineItem) throws -> Void
    ) throws {
        let (version, sequence) = try (versions.version(number), versions.origin(number).sequence)
        let entry = BaselineEntry.change(change.withValues { $0.sorted { $0.name.precedesByBytes($1.name) } })
        try emit(BaselineItem(entry: entry, version: version, sequence: sequence, isDeferred: isDeferred))
    }
}

struct BaselineItem {
    var entry: BaselineEntry
    var version = Version.none
    var sequence: UInt64 = 0
    /// Deferred values come last: a transaction may write a property under two names, and only one value may fit.
    var isDeferred = false
    var index = 0
}

/// The names under which a baseline writes columns and link tables.
///
/// If several entities have a property, the entity nearest to the root is named, and the first by name among equals.
/// Every store with the model therefore writes the same text.
struct BaselineNames {
    private(set) var columns: [StoreModel.ColumnIndex: (entity: String, property: String)] = [:]
    private(set) var pairs: [Int: (entity: String, property: String)] = [:]

    init(_ layout: StoreModel) {
        let sorted = layout.entities.sorted {
            ($0.entity.ancestors.count, $0.entity.name) < ($1.entity.ancestors.count, $1.entity.name)
        }
        for entity in sorted {
            for (place, property) in zip(entity.places, entity.entity.properties) {
                let name = (entity.entity.name, property.name)
                switch place {
                case .column(let column):
                    let index = StoreModel.ColumnIndex(table: entity.table, column: column)
                    if columns[index] == nil { columns[index] = name }
                case .links(let link, true), .inverse(_, _, .some(let link)):
                    if pairs[link] == nil { pairs[link] = name }
                case .links, .inverse, .inverseColumn, .none: break
                }
            }
        }
    }
}

extension JSONValue {
    fileprivate var withPlainID: JSONValue {
        guard case .string(let text) = self, let id = UniqueID(text) else { return inKeyOrder }
        return .string(id.description)
    }
}
