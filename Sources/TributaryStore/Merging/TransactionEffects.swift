import TributaryChanges
import TributaryModel

/// The effects of a transaction on objects, as a plain list that becomes sets on demand.
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

    /// Marks a table in which any object may have changed, besides the listed effects.
    mutating func collapse(_ table: Int) { collapsed.append(table) }

    func isCollapsed(_ table: Int) -> Bool { !collapsed.isEmpty && collapsed.contains(table) }

    /// The combined changes of transactions that were committed together, in order, for readers and contexts.
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
            let object = layout.objectID(effect.id, of: entity)
            switch effect.kind {
            case .insert: changes.insert(object)
            case .update: changes.update(object)
            case .delete: changes.delete(object)
            }
        }
    }
}
