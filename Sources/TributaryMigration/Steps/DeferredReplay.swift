import GRDB
import TributaryChanges
import TributaryInference
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
    /// one merge for each write that may take effect.
    func run(_ added: Set<String>?) throws {
        let table = DeferredWriteTable(db: db)
        var entries = try table.entries()
        // What a deferred name means now is asked of all versions, unless the step only adds what no entry names.
        if let added, entries.allSatisfy({ added.isDisjoint(with: $0.change.names) }) { return }
        entries = entries.filter { layout.represents($0.change) && (!$0.isBound || mayHaveBound($0.change)) }
        guard !entries.isEmpty else { return }
        try UnloggedTransaction.run(db, context, decidesShadows: decidesShadows) { transaction in
            for entry in entries {
                try table.remove(entry)
                try transaction.merge(entry, as: renamedToRoot(entry))
            }
        }
    }

    private func mayHaveBound(_ change: Change) -> Bool {
        change.operation.valueWrites?.writes.allSatisfy { layout.mayHaveBound($0.name, of: change.entity) } ?? false
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

extension MigrationInference {
    /// The present and former names of what the newer version adds; nil when it does more than adding.
    var addedNames: Set<String>? {
        // A composite that gains a member takes values that were deferred for it under names which have not changed.
        guard old.composites == new.composites else { return nil }
        var names: Set<String> = []
        for change in changes {
            let entity = new.entity(named: change.entity)
            let property = change.property.flatMap { entity?.property(named: $0) }
            switch change.kind {
            case .addEntity: names.formUnion([change.entity, entity?.renamingIdentifier].compactMap(\.self))
            case .addProperty: names.formUnion([change.property, property?.renamingIdentifier].compactMap(\.self))
            case .makeOptional, .changeIndexes: break
            default: return nil
            }
        }
        return names
    }
}

extension Change {
    fileprivate var names: [String] {
        switch operation {
        case .insert(let writes), .update(let writes): [entity] + writes.map(\.name)
        case .link(let name, _, _), .unlink(let name, _): [entity, name]
        case .delete: [entity]
        }
    }
}
