import TributaryChanges
import TributaryModel

/// Takes the counter totals of a baseline, for the writers of which it has more.
final class BaselineTotals {
    private let engine: MergeEngine
    private let layout: StoreModel
    private let vector: BaselineVector
    private let reader: Reader
    /// The deferred increments of counters, read when a baseline has the first total that is deferred.
    private var deferred: [Key: JSONValue]?
    private var deferredCount = 0

    private struct Key: Hashable {
        var entity: String
        var id: UniqueID
        var property: String
        var writer: UniqueID
        var kind: CounterTotals.Kind
    }

    init(_ engine: MergeEngine, layout: StoreModel, vector: BaselineVector, reader: Reader) {
        self.engine = engine
        self.layout = layout
        self.vector = vector
        self.reader = reader
    }

    /// Merges a counter: the total of each writer that is ahead in the baseline replaces the store's.
    func merge(_ counter: BaselineCounter) throws {
        let ahead = counter.totals.sorted { $0.key < $1.key }.compactMap { writer, total in
            vector.ahead[writer].map { (entry: $0, total: total) }
        }
        guard !ahead.isEmpty else { return }
        let known = column(of: counter)
        var isChanged = false
        for (entry, total) in ahead {
            guard let (column, type) = known, let value = ValueConverter.counted(total, type: type) else {
                let reason =
                    known == nil
                    ? "'\(counter.entity)' has no counter '\(counter.property)'"
                    : "'\(counter.property)' of '\(counter.entity)' cannot hold \(total.kind)"
                try deferTotal(total, of: counter, entry, reason)
                continue
            }
            let counters = engine.tables.counters
            if try counters.set(value, writer: entry.row, of: counter.id, column) { isChanged = true }
        }
        if let known, isChanged { try show(known.0, of: counter.id) }
    }

    private func column(of counter: BaselineCounter) -> (StoreModel.ColumnIndex, AttributeType)? {
        guard let entity = layout.entityIndex(named: counter.entity).map({ layout.entities[$0] }),
            let property = layout.propertyIndex(named: counter.property, of: entity.entity),
            case .column(let column) = entity.places[property]
        else { return nil }
        let index = StoreModel.ColumnIndex(table: entity.table, column: column)
        guard case .attribute(let type, .counter) = layout[index].kind else { return nil }
        return (index, type)
    }

    private func show(_ column: StoreModel.ColumnIndex, of id: UniqueID) throws {
        let tables = engine.tables
        guard let row = try tables.objects.row(column.table, id) else {
            // An insert looks for totals where the object has a row.
            return try tables.partialRows.store(tables.partialRows.rowOrEmpty(column.table, id), column.table, id)
        }
        let value = try tables.counterValue(id, column, entity: row.entity)
        guard try tables.objects.table(column.table).value(column.column, rowid: row.rowid) != value else { return }
        try engine.objects.write([RegisterWrite(column: column.column, value: value)], to: row, table: column.table)
        let names = engine.objects.names(of: [column.column], column.table)
        try engine.effects.record(.update, column.table, id, entity: row.entity, properties: names)
    }

    // MARK: What the model cannot count

    /// Defers the part of a total that the store has not deferred yet, as an increment of the writer's last
    /// transaction.
    private func deferTotal(
        _ total: JSONValue,
        of counter: BaselineCounter,
        _ entry: BaselineVector.Ahead,
        _ reason: String
    ) throws {
        let key = Key(
            entity: counter.entity,
            id: counter.id,
            property: counter.property,
            writer: entry.writer.id,
            kind: CounterTotals.kind(total)
        )
        var rest = total
        if let known = try known()[key] {
            guard known.inKeyOrder != total.inKeyOrder else { return }
            if let before = CounterTotals.number(known), let number = CounterTotals.number(total) {
                rest = CounterTotals.difference(number, before).json
                if rest == .integer(0) || rest == .double(0) { return }
            }
        }
        deferredCount += 1
        let write = PropertyWrite(
            name: counter.property,
            value: .object([JSONMember(key: "increment", value: rest)])
        )
        try engine.tables.deferred.insert(
            entity: counter.entity,
            id: counter.id,
            DeferredWriteTable.Content(write, isInsert: false),
            number: entry.lastNumber,
            position: -deferredCount,
            valueIndex: 0,
            reason: reason
        )
    }

    private func known() throws -> [Key: JSONValue] {
        if let deferred { return deferred }
        var (found, inserted): ([Key: JSONValue], [Key: PropertyValue]) = ([:], [:])
        let state = DeferredState(database: reader.database, layout: layout, versions: engine.tables.versions)
        func key(
            _ write: DeferredSurvivor,
            _ entity: String,
            _ property: String,
            _ writer: UniqueID,
            _ amount: JSONValue
        )
            -> Key
        {
            let kind = CounterTotals.kind(amount)
            return Key(entity: entity, id: write.id, property: property, writer: writer, kind: kind)
        }
        try state.forEach { write in
            switch write.kind {
            case .kept(let kept, _):
                guard let amount = kept.amount, let version = kept.version else { return }
                let writer = try engine.tables.versions.version(version).writer
                let key = key(write, kept.entity, kept.write.name, writer, kept.write.value)
                inserted[key] = CounterTotals.sum(inserted[key], amount)
            case .total(let property, let total, let writer):
                guard let writer = UniqueID(writer) else { return }
                for (part, sum) in total.parts { found[key(write, part.entity, property, writer, sum)] = sum }
            case .deleted, .inserted, .value, .extreme, .pair: return
            }
        }
        found.merge(inserted.mapValues(\.json)) { total, _ in total }
        deferred = found
        return found
    }
}
