import GRDB
import TributaryChanges
import TributaryModel

/// The merge state of a store as the log changes that still have an effect.
///
/// Merging them into an empty store gives the same state. The cost is one pass over the tables.
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

    /// The parts come in no particular order.
    func forEach(_ emit: (BaselineItem) throws -> Void) throws {
        var counter: BaselineCounter?
        func flush() throws {
            if let counter { try emit(.counter(counter)) }
            counter = nil
        }
        try MergeState(reader: reader, includesShown: false).forEach { item in
            switch item {
            case .object(let object): try changes(of: object, emit)
            case .pair(let pair): try change(of: pair, emit)
            case .counter(let total):
                guard let name = names.property(of: total.column), let writer = UniqueID(total.writer) else { return }
                if counter?.id != total.id || counter?.property != name.property || counter?.entity != name.entity {
                    try flush()
                    counter = BaselineCounter(
                        entity: name.entity,
                        id: total.id,
                        property: name.property,
                        totals: [:]
                    )
                }
                counter?.totals[writer] = total.total.json
            }
        }
        try flush()
        let deferred = DeferredState(database: reader.database, layout: layout, versions: versions)
        try deferred.forEach { object in
            let changes = try DeferredChanges(object, layout, by: versions)
            for (change, number, place) in changes.changes { try self.emit(change, at: number, place: place, emit) }
            for bound in changes.bounds { try emit(.bound(bound)) }
            for counter in try changes.counters + insertTotals(of: object) { try emit(.counter(counter)) }
        }
    }

    /// What an object's deferred inserts have counted for writers with a known total of that name.
    ///
    /// Such a total covers all transactions of its writer only together with the inserts.
    private func insertTotals(of object: DeferredObject) throws -> [BaselineCounter] {
        var found: [[String]: (counter: BaselineCounter, total: PropertyValue)] = [:]
        for kept in object.kept {
            guard let amount = kept.amount, let version = kept.version else { continue }
            let (property, writer) = (kept.write.name, kept.writer)
            guard object.totals[property]?[writer] == nil,
                try hasTotal(of: object.id, property, writer: versions.origin(version).writer)
            else { continue }
            let key = [kept.entity, property, writer.description]
            let total = CounterTotals.sum(found[key]?.total, amount)
            let totals = [writer: total.json]
            let counter = BaselineCounter(entity: kept.entity, id: object.id, property: property, totals: totals)
            found[key] = (counter, total)
        }
        return found.values.map(\.counter)
    }

    /// Under any entity.
    private func hasTotal(of id: UniqueID, _ property: String, writer: Int64) throws -> Bool {
        let counters = CounterTable(reader.database, layout: layout)
        return try layout.entities.contains { entity in
            guard let index = layout.propertyIndex(named: property, of: entity.entity),
                case .column(let column) = entity.places[index]
            else { return false }
            return try counters.total(writer: writer, of: id, .init(table: entity.table, column: column)) != nil
        }
    }

    /// The writes of one version under the name of one entity.
    private struct Group: Hashable {
        var number: Int64
        var entity: String
    }

    private func changes(of object: MergeStateItem.Object, _ emit: (BaselineItem) throws -> Void) throws {
        let root = object.table.root.name
        let deleted = object.deleted
        let inserted = object.inserted
        var writes: [Group: [PropertyWrite]] = [:]
        for column in object.columns {
            guard let register = column.register else { continue }
            let index = StoreModel.ColumnIndex(table: object.table.index, column: column.index)
            guard let name = name(of: index, in: object.entity) else { continue }
            let write = PropertyWrite(name: name.property, value: try json(register.value))
            if layout[index].mergeRule.isBound {
                try emit(.bound(BaselineBound(entity: name.entity, id: object.id, write: write)))
                continue
            }
            writes[Group(number: register.version, entity: name.entity), default: []].append(write)
        }
        #if MUTATIONS
            if Mutation.isOn(.tombstoneDroppedInBaseline), object.entity == nil { return }
        #endif
        if let deleted { try self.emit(Change(entity: root, id: object.id, operation: .delete), at: deleted, emit) }
        if let entity = object.entity?.entity.name, let inserted {
            let values = writes.removeValue(forKey: Group(number: inserted, entity: entity)) ?? []
            try self.emit(Change(entity: entity, id: object.id, operation: .insert(values)), at: inserted, emit)
        }
        for (group, values) in writes {
            let update = Change(entity: group.entity, id: object.id, operation: .update(values))
            try self.emit(update, at: group.number, emit)
        }
    }

    /// By the concrete entity, or by the first entity that has the property.
    private func name(
        of column: StoreModel.ColumnIndex,
        in entity: EntityLayout?
    ) -> (entity: String, property: String)? {
        guard let entity, let index = entity.places.firstIndex(of: .column(column.column)) else {
            return names.property(of: column)
        }
        return (entity.entity.name, entity.entity.properties[index].name)
    }

    /// A large binary beside the store is the name of a blob, which must be in the log folder.
    private func json(_ value: PropertyValue) throws -> JSONValue {
        guard case .blob(_, let size) = value, size <= BlobFolder.threshold else { return value.json }
        return try reader.context.whole(value).json
    }

    private func change(of pair: MergeStateItem.Pair, _ emit: (BaselineItem) throws -> Void) throws {
        guard let name = names.relationship(of: pair.link) else { return }
        let operation: Change.Operation =
            pair.isLinked
            ? .link(to: name.property, ids: [pair.target], positions: pair.position.map { [$0] })
            : .unlink(to: name.property, ids: [pair.target])
        let change = Change(entity: name.entity, id: pair.source, operation: operation)
        try self.emit(change, at: pair.version, emit)
    }

    private func emit(
        _ change: Change,
        at number: Int64,
        place: DeferredObject.Place? = nil,
        _ emit: (BaselineItem) throws -> Void
    ) throws {
        let (version, sequence) = try (versions.version(number), versions.origin(number).sequence)
        try emit(.change(change, version: version, sequence: sequence, place: place))
    }
}

enum BaselineItem {
    /// A change that still has an effect, with its version and the sequence of its transaction.
    ///
    /// Changes with a place come after the others of their transaction, in the order of their places.
    case change(Change, version: Version, sequence: UInt64, place: DeferredObject.Place? = nil)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}

/// The names under which a baseline writes columns and link tables.
///
/// When several entities have a property, the entity nearest to the root stands for all, and the first by name among
/// equals: so the text is the same in every store with the model, and another version of the model most probably has
/// the entity too.
struct BaselineNames {
    private var columns: [StoreModel.ColumnIndex: (entity: String, property: String)] = [:]
    private var pairs: [Int: (entity: String, property: String)] = [:]

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

    /// Nil for a column that no entity of the model has any more.
    func property(of column: StoreModel.ColumnIndex) -> (entity: String, property: String)? { columns[column] }

    /// Seen from the source of the pairs.
    func relationship(of link: LinkLayout) -> (entity: String, property: String)? { pairs[link.index] }
}
