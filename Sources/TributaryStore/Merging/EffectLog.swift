import GRDB
import TributaryChanges
import TributaryModel

final class EffectLog {
    private let layout: StoreModel
    private let history: HistoryWriter
    @exclusivity(unchecked) private(set) var current: AppliedTransaction
    @exclusivity(unchecked) private var counts: [Int]
    @exclusivity(unchecked) private var deletionKeys: [[UInt32]?]

    init(_ db: Database, layout: StoreModel) throws {
        self.layout = layout
        history = try HistoryWriter(db)
        current = AppliedTransaction(number: 0, writer: 0, effects: TransactionEffects(layout: layout))
        counts = Array(repeating: 0, count: layout.tables.count)
        deletionKeys = Array(repeating: nil, count: layout.entities.count)
    }

    func begin(number: Int64, writer: Int64) {
        current = AppliedTransaction(number: number, writer: writer, effects: TransactionEffects(layout: layout))
    }

    func move(to transaction: AppliedTransaction) { current = transaction }

    func flush(_ transaction: AppliedTransaction) throws { try history.flush(transaction) }

    func record(
        _ kind: HistoryTransaction.Kind,
        _ table: Int,
        _ id: UniqueID,
        entity: Int,
        properties: [String]
    ) throws {
        if kind == .delete, let known = deletionKeys[entity] {
            return try record(kind, table, id, entity: entity, keys: known)
        }
        let keys = try history.keys(layout.entities[entity].entity.name, kind, properties)
        if kind == .delete { deletionKeys[entity] = keys }
        try record(kind, table, id, entity: entity, keys: keys)
    }

    func record(_ kind: HistoryTransaction.Kind, _ table: Int, _ id: UniqueID, entity: Int, keys: [UInt32]) throws {
        for key in keys { try history.append(id, key, to: current) }
        if current.effects.isCollapsed(table) { return }
        // Observers receive only so many effects individually, for all transactions together.
        counts[table] += 1
        if counts[table] > ObjectChanges.defaultLimit { return current.effects.collapse(table) }
        current.effects.append(kind, id, entity: entity)
    }

    func recordShown(_ row: VisibleRow, _ column: StoreModel.ColumnIndex) throws {
        try record(.update, column.table, row.id, entity: row.entity, properties: [layout[column].property])
    }

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

/// `@unchecked Sendable`: it changes only with the write lock held, and is only read after the commit.
final class AppliedTransaction: @unchecked Sendable {
    let number: Int64
    let writer: Int64
    /// One thread at a time records tens of thousands of changes: checks for overlapping accesses would cost too much.
    @exclusivity(unchecked) var effects: TransactionEffects
    /// Records for history that are not in the store yet; see ``HistoryWriter``.
    @exclusivity(unchecked) var records: [UInt8] = []

    init(number: Int64, writer: Int64, effects: TransactionEffects) {
        self.number = number
        self.writer = writer
        self.effects = effects
    }
}

struct TransactionEffects: Sendable {
    private struct Effect {
        var id: UniqueID
        var entity: Int32
        var kind: HistoryTransaction.Kind
    }

    private let layout: StoreModel
    private var list: [Effect] = []
    private var collapsed: [Int] = []

    init(layout: StoreModel) {
        self.layout = layout
    }

    var isEmpty: Bool { list.isEmpty && collapsed.isEmpty }

    mutating func append(_ kind: HistoryTransaction.Kind, _ id: UniqueID, entity: Int) {
        list.append(Effect(id: id, entity: Int32(truncatingIfNeeded: entity), kind: kind))
    }

    /// Any object of the table may have changed.
    mutating func collapse(_ table: Int) { collapsed.append(table) }

    func isCollapsed(_ table: Int) -> Bool { !collapsed.isEmpty && collapsed.contains(table) }

    static func changes(of all: [TransactionEffects]) -> ObjectChanges {
        var changes = ObjectChanges()
        // The collapsed tables come first, so that no single effect of them is collected.
        for effects in all {
            for table in effects.collapsed { changes.collapse(rootEntity: effects.layout.tables[table].root.name) }
        }
        for effects in all { effects.add(to: &changes) }
        return changes
    }

    private func add(to changes: inout ObjectChanges) {
        guard !list.isEmpty else { return }
        let isCovered = layout.tables.map { changes.isEverything || changes.collapsedEntities.contains($0.root.name) }
        for effect in list {
            let entity = layout.entities[Int(effect.entity)]
            if isCovered[entity.table] { continue }
            changes.add(effect.kind, layout.objectID(effect.id, of: entity))
        }
    }
}
