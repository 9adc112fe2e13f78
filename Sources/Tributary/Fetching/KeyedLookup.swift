import TributaryChanges
import TributaryModel
import TributaryStore

/// Looks up one object by the values of some of its properties, in a context, the contexts above it and the store.
struct KeyedLookup {
    let context: ManagedObjectContext

    /// Returns the object that has the values, or nil when there is none.
    func object(
        with key: [(propertyIndex: Int, value: PropertyValue)],
        _ descriptor: EntityDescriptor
    ) throws(ContextError) -> ManagedObject? {
        let scope = DirtyKeyIndex.Scope(rootIndex: descriptor.rootIndex, propertyIndexes: key.map(\.propertyIndex))
        let values = key.map(\.value)
        let own = context.pending.objects(values, in: scope, version: context.reader.shownVersion).first { object in
            object.state != .deleted && object.descriptor.entity.isKind(of: descriptor.entity.name)
                && key.allSatisfy { object.read($0.propertyIndex) == $0.value }
        }
        if let own { return own }
        for other in context.source.unsavedKeys(of: values, in: scope) {
            guard let row = context.source.unsaved(other)?.row, row.entity.isKind(of: descriptor.entity.name),
                key.allSatisfy({ row.values[$0.propertyIndex] == $0.value }), isUnchanged(row.id)
            else { continue }
            return context.object(for: row)
        }
        let rows = try context.reader.read { try $0.holders(of: key, entity: descriptor.entity) }
        return rows.first { row in
            isUnchanged(row.id)
                && context.source.unsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: row.uniqueID)) == nil
        }.map { context.object(for: $0) }
    }

    private func isUnchanged(_ id: ManagedObjectID) -> Bool { context.registeredObject(for: id)?.isDirty != true }
}
