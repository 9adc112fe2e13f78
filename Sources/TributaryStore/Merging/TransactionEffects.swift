import TributaryChanges
import TributaryModel

/// What a transaction did to objects, as a plain list: making sets of it waits until somebody asks.
struct TransactionEffects: Sendable {
    private struct Effect {
        var id: UniqueID
        var entity: Int32
        var kind: HistoryTransaction.Kind
    }

    private let layout: StoreModel
    private var list: [Effect] = []
    /// Tables of which anything may have changed.
    private var collapsed: [Int] = []

    init(layout: StoreModel) {
        self.layout = layout
    }

    var isEmpty: Bool { list.isEmpty && collapsed.isEmpty }

    mutating func append(_ kind: HistoryTransaction.Kind, _ id: UniqueID, entity: Int) {
        list.append(Effect(id: id, entity: Int32(truncatingIfNeeded: entity), kind: kind))
    }

    /// Anything of the table may have changed, besides what has been listed.
    mutating func collapse(_ table: Int) { collapsed.append(table) }

    func isCollapsed(_ table: Int) -> Bool { !collapsed.isEmpty && collapsed.contains(table) }

    /// What readers and contexts are told of transactions that were committed together, in their order.
    static func changes(of all: [TransactionEffects]) -> ObjectChanges {
        var changes = ObjectChanges()
        // First, so that nothing is collected of a table that is not told of one by one.
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
            let object = ManagedObjectID(
                store: layout.storeName,
                entity: entity.entity.name,
                rootEntity: layout.tables[entity.table].root.name,
                uniqueID: effect.id
            )
            switch effect.kind {
            case .insert: changes.insert(object)
            case .update: changes.update(object)
            case .delete: changes.delete(object)
            }
        }
    }
}
