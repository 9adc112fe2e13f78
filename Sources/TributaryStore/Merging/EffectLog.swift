import GRDB
import TributaryChanges
import TributaryModel

/// Collects the objects that became visible, changed or disappeared, for history and for observers of the store.
final class EffectLog {
    private let layout: StoreModel
    private let history: HistoryWriter
    @exclusivity(unchecked) private(set) var current: AppliedTransaction
    /// For each table, the number of effects in the SQLite transaction.
    @exclusivity(unchecked) private var counts: [Int]

    init(_ db: Database, layout: StoreModel) throws {
        self.layout = layout
        history = try HistoryWriter(db)
        current = AppliedTransaction(number: 0, writer: 0, effects: TransactionEffects(layout: layout))
        counts = Array(repeating: 0, count: layout.tables.count)
    }

    func begin(number: Int64, writer: Int64) {
        current = AppliedTransaction(number: number, writer: writer, effects: TransactionEffects(layout: layout))
    }

    func move(to transaction: AppliedTransaction) { current = transaction }

    func flush(_ transaction: AppliedTransaction) throws { try history.flush(transaction) }

    /// Records the insert, update or deletion of a visible object.
    func record(
        _ kind: HistoryTransaction.Kind,
        _ table: Int,
        _ id: UniqueID,
        entity: Int,
        properties: [String]
    ) throws {
        let keys = try history.keys(layout.entities[entity].entity.name, kind, properties)
        try record(kind, table, id, entity: entity, keys: keys)
    }

    /// Records the insert, update or deletion of a visible object, with the history keys that name the properties.
    func record(_ kind: HistoryTransaction.Kind, _ table: Int, _ id: UniqueID, entity: Int, keys: [UInt32]) throws {
        for key in keys { try history.append(id, key, to: current) }
        if current.effects.isCollapsed(table) { return }
        // The transactions together have more effects than observers receive one by one.
        counts[table] += 1
        if counts[table] > ObjectChanges.defaultLimit { return current.effects.collapse(table) }
        current.effects.append(kind, id, entity: entity)
    }

    /// Records that a column of a row shows another value.
    func recordShown(_ row: VisibleRow, _ column: StoreModel.ColumnIndex) throws {
        try record(.update, column.table, row.id, entity: row.entity, properties: [layout[column].property])
    }

    /// The history keys of a change with the given shape whose values were all accepted.
    func keys(of shape: ChangeShape) throws -> [UInt32] {
        if let known = shape.historyKeys { return known }
        // Unknown names have no effect, and their number is unbounded.
        let names = shape.knownProperties(layout)
        let kind: HistoryTransaction.Kind = shape.isInsert ? .insert : .update
        let keys = try history.keys(layout.entities[shape.entity].entity.name, kind, names)
        shape.historyKeys = keys
        return keys
    }
}
