import GRDB
import TributaryChanges
import TributaryModel
import TributaryStore

/// Merges deferred writes with their original versions once the model can represent them.
struct DeferredReplay {
    let db: Database
    let context: StoreContext
    /// Whether it is decided which objects that share unique keys are visible; at the end of a migration otherwise.
    let decidesShadows: Bool

    private var layout: StoreModel { context.layout }

    /// Merges the deferred writes that the model can represent now, at the cost of one look at each deferred write and
    /// one merge for each write that takes effect.
    func run() throws {
        let table = DeferredWriteTable(db: db)
        let entries = try table.entries().filter { layout.represents($0.change) }
        guard !entries.isEmpty else { return }
        try UnloggedTransaction.run(db, context, decidesShadows: decidesShadows) { transaction in
            for entry in entries {
                try table.remove(entry)
                try transaction.merge(entry, as: renamedToRoot(entry))
            }
        }
    }

    /// Returns the change; a value of a removed entity becomes one of the root entity when the root has the property.
    private func renamedToRoot(_ entry: DeferredWriteTable.Entry) -> Change {
        guard entry.valueIndex != nil, let root = layout.survivingRoot(ofEntity: entry.change.entity),
            let name = entry.change.operation.valueWrites?.writes.first?.name
        else { return entry.change }
        let entity = layout.entities[root].entity
        guard layout.propertyIndex(named: name, of: entity) != nil else { return entry.change }
        var change = entry.change
        change.entity = entity.name
        return change
    }
}
