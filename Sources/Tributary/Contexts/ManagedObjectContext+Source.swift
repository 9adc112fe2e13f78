import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Grows with everything that changes what a child sees: edits, merges, saves, rollbacks, and those above.
    var stateVersion: UInt64 { pending.editCount &+ passCount &+ source.version }

    /// The context that this one was made from with `newChild`; nil when its rows come from the store or from a context
    /// on another queue.
    public var parent: ManagedObjectContext? { source.parent }

    /// The row under the context's own changes: what contexts above have not saved, else the store's.
    func row(_ id: UniqueID, _ kind: ObjectKind, _ reader: Reader) throws -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: kind.rootIndex, id: id)) { return unsaved.row }
        return try reader.row(id, rootEntity: kind.entity.root)
    }

    func row(_ id: UniqueID, _ kind: ObjectKind) throws(ContextError) -> Row? {
        if let unsaved = source.unsaved(ObjectKey(rootIndex: kind.rootIndex, id: id)) { return unsaved.row }
        if let row = cachedRow(kind.objectID(id)) { return row }
        return try read { try $0.row(id, rootEntity: kind.entity.root) }
    }

    /// The other end of a relationship under the context's own changes.
    func related(to object: ManagedObject, _ slot: Int) throws(ContextError) -> [ManagedObjectID] {
        let isUnknownToStore = source.unsaved(object.key)?.isInserted == true
        let key = key(object, slot)
        if let known = rowsAtHand.related(key, version: shownVersion) { return known }
        let stored =
            isUnknownToStore
            ? [] : try read { try $0.related(to: object.uniqueID, entity: object.kind.entity, slot: slot) }
        return shown(stored, at: key)
    }

    /// What the store has at the other end of a relationship, with what the contexts above have changed about it.
    func shown(_ stored: [ManagedObjectID], at key: RelationshipKey) -> [ManagedObjectID] {
        let ids = source.relationshipChange(key)?.applied(to: stored) ?? stored
        return source.relationshipOrdering(key)?.ordering(ids) ?? ids
    }

    /// Reads the objects in use again when something above the context has changed.
    func catchUp() {
        let version = source.version
        guard version != caughtUpVersion else { return }
        caughtUpVersion = version
        // What has come above is listed nowhere.
        if !source.isStore { noteChange { $0.isEverything = true } }
        guard registry.count > 0 else { return }
        for object in registry.relationshipReaders { object.extras?.related = [:] }
        let objects = registry.objects
        // One that was only linked here has no values, and may be deleted above all the same.
        let known = objects.filter { object in
            switch object.state {
            case .updated, .deleted: true
            case .clean: !object.values.isEmpty
            case .inserted, .gone, .detached: false
            }
        }
        do {
            let rows = try read { reader in try known.map { try row($0.uniqueID, $0.kind, reader) } }
            for (object, row) in zip(known, rows) { merge(row, into: object) }
            undoStack?.forget(known.filter { $0.state == .gone })
        } catch {
            pendingReadError = error
        }
    }
}
