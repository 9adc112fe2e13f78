import GRDB
import TributaryChanges
import TributaryModel

/// The merge state of a store as changes in the form of the log: those that still have an effect.
///
/// Merging them into an empty store gives the same state. The index of a change in its transaction is kept where it
/// decides something: for one-to-one relationships and deferred writes.
///
/// The cost is one pass over the tables.
final class BaselineState {
    private let reader: Reader
    private let layout: StoreModel
    private let names: BaselineNames
    private let versions: VersionCache
    private let sequences: TransactionSequences
    /// Binaries with more bytes are written as the name of a blob.
    private static let inlineBytes = 64 << 10

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
        try DeferredState(database: reader.database, layout: layout, versions: versions).forEach { write in
            try items(of: write).forEach(emit)
        }
    }

    // MARK: Objects

    private func changes(of object: MergeStateItem.Object, _ emit: (BaselineItem) throws -> Void) throws {
        let root = object.table.root.name
        let deleted = object.deleted.map(VersionNumber.transaction)
        let inserted = object.inserted.map(VersionNumber.transaction)
        var writes: [Int64: [PropertyWrite]] = [:]
        for column in object.columns {
            guard let register = column.register else { continue }
            let index = StoreModel.ColumnIndex(table: object.table.index, column: column.index)
            guard let name = name(of: index, in: object.entity) else { continue }
            let write = PropertyWrite(name: name.property, value: try json(register.value))
            if layout[index].mergeRule != .latest {
                try emit(.bound(BaselineBound(entity: name.entity, id: object.id, write: write)))
                continue
            }
            let number =
                layout[index].isOneToOne ? register.version : VersionNumber.transaction(of: register.version)
            if object.entity == nil {
                // Without a concrete entity each property is written under the entity that has it.
                let update = Change(entity: name.entity, id: object.id, operation: .update([write]))
                try self.emit(update, at: number, emit)
            } else {
                writes[number, default: []].append(write)
            }
        }
        if let deleted { try self.emit(Change(entity: root, id: object.id, operation: .delete), at: deleted, emit) }
        guard let entity = object.entity?.entity.name, let inserted else { return }
        let values = writes.removeValue(forKey: inserted) ?? []
        try self.emit(Change(entity: entity, id: object.id, operation: .insert(values)), at: inserted, emit)
        for (number, values) in writes {
            try self.emit(Change(entity: entity, id: object.id, operation: .update(values)), at: number, emit)
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

    private func json(_ value: PropertyValue) throws -> JSONValue {
        let whole: PropertyValue
        if case .blob(_, let size) = value, size <= BaselineState.inlineBytes {
            whole = try reader.context.whole(value)
        } else {
            whole = value
        }
        guard case .binary(let bytes) = whole, bytes.count > BaselineState.inlineBytes else { return whole.json }
        return whole.canonicalBlob.json
    }

    private func change(of pair: MergeStateItem.Pair, _ emit: (BaselineItem) throws -> Void) throws {
        guard let name = names.relationship(of: pair.link) else { return }
        let operation: Change.Operation =
            pair.isLinked
            ? .link(to: name.property, ids: [pair.target], positions: pair.position.map { [$0] })
            : .unlink(to: name.property, ids: [pair.target])
        let change = Change(entity: name.entity, id: pair.source, operation: operation)
        try self.emit(change, at: VersionNumber.transaction(of: pair.version), emit)
    }

    private func emit(_ change: Change, at number: Int64, _ emit: (BaselineItem) throws -> Void) throws {
        let sequence = try sequences.sequence(of: VersionNumber.transaction(of: number))
        try emit(.change(change, version: try versions.version(number), sequence: sequence))
    }

    // MARK: Deferred writes

    private func items(of write: DeferredSurvivor) throws -> [BaselineItem] {
        func change(
            _ operation: Change.Operation,
            _ version: DeferredVersion,
            entity: String? = nil
        ) throws -> [BaselineItem] {
            var found: [BaselineItem] = []
            let change = Change(entity: entity ?? write.entity, id: write.id, operation: operation)
            try emit(change, at: number(of: version)) { found.append($0) }
            return found
        }
        switch write.kind {
        case .deleted(let version): return try change(.delete, version)
        case .inserted(let version, let entity): return try change(.insert([]), version, entity: entity)
        case .value(let property, let value, let version):
            return try change(.update([PropertyWrite(name: property, value: value)]), version)
        case .pair(let property, let target, let value, let version):
            let positions = value.position.isEmpty ? nil : [value.position]
            return try change(
                value.isLinked
                    ? .link(to: property, ids: [target], positions: positions)
                    : .unlink(to: property, ids: [target]),
                version
            )
        case .extreme(let property, let value):
            let write = BaselineBound(
                entity: write.entity,
                id: write.id,
                write: PropertyWrite(name: property, value: value.json)
            )
            return [.bound(write)]
        case .total(let property, let total, let writer):
            guard let writer = UniqueID(writer) else { return [] }
            let counter = BaselineCounter(
                entity: write.entity,
                id: write.id,
                property: property,
                totals: [writer: total.json]
            )
            return [.counter(counter)]
        }
    }

    /// The number of a deferred write's version, with the index of its change.
    private func number(of version: DeferredVersion) -> Int64 {
        VersionNumber.number(version.number, atLeast: Int(clamping: max(0, version.order.first ?? 0)))
    }
}
