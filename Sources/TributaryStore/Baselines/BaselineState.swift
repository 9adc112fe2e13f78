import GRDB
import TributaryChanges
import TributaryModel

/// The merge state of a store as changes in the form of the log: those that still have an effect.
///
/// Merging them into an empty store gives the same state. The cost is one pass over the tables.
final class BaselineState {
    private let reader: Reader
    private let layout: StoreModel
    private let names: BaselineNames
    private let versions: VersionCache
    private let sequences: TransactionSequences

    init(reader: Reader) throws {
        self.reader = reader
        layout = reader.context.layout
        names = BaselineNames(layout)
        versions = try VersionCache(reader.database)
        sequences = try TransactionSequences(reader.database)
    }

    /// Calls `emit` with each part, in no particular order.
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
        var deferred = DeferredChanges()
        func emitDeferred() throws {
            for (change, number, place) in deferred.changes {
                try self.emit(change, at: number, place: place, emit)
            }
            for bound in deferred.bounds { try emit(.bound(bound)) }
            for counter in deferred.counters { try emit(.counter(counter)) }
        }
        let forms = DeferredForms(layout: layout)
        try DeferredState(database: reader.database, layout: layout, versions: versions).forEach { write in
            if write.entity != deferred.entity || write.id != deferred.id {
                try emitDeferred()
                deferred = DeferredChanges(entity: write.entity, id: write.id)
            }
            deferred.add(write, forms)
        }
        try emitDeferred()
    }

    // MARK: Objects

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

    /// The property of a column: by the concrete entity, or by the first entity that has it.
    private func name(
        of column: StoreModel.ColumnIndex,
        in entity: EntityLayout?
    ) -> (entity: String, property: String)? {
        guard let entity, let index = entity.places.firstIndex(of: .column(column.column)) else {
            return names.property(of: column)
        }
        return (entity.entity.name, entity.entity.properties[index].name)
    }

    /// The value; a large binary beside the store is the name of a blob, which must be in the log folder.
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
        let sequence = try sequences.sequence(of: number)
        try emit(.change(change, version: try versions.version(number), sequence: sequence, place: place))
    }
}
