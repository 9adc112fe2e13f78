import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Takes back the last group of changes; does nothing when there is none, or without an ``undoStack``.
    ///
    /// A group that a program has begun and not ended is ended first.
    public func undo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        while stack.groupingLevel > 1 { stack.endUndoGrouping() }
        if stack.groupingLevel == 1 { stack.endUndoGrouping() } else { stack.close() }
        guard let group = stack.undoGroups.popLast() else { return }
        if let inverse = apply(group, stack, .undoing) { stack.redoGroups.append(inverse) }
        processChanges()
    }

    /// Does again what was taken back last; does nothing when something else has changed since.
    public func redo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        if !stack.open.records.isEmpty { stack.close() }
        guard stack.groupingLevel == 0, let group = stack.redoGroups.popLast() else { return }
        if let inverse = apply(group, stack, .redoing) { stack.undoGroups.append(inverse) }
        processChanges()
    }

    /// Takes the steps back, the last first, and returns what takes that back; nil when there was nothing to do.
    private func apply(_ group: UndoGroup, _ stack: UndoStack, _ phase: UndoStack.Phase) -> UndoGroup? {
        stack.phase = phase
        defer {
            stack.phase = .recording
            stack.open = UndoGroup()
        }
        var touched: [ManagedObject] = []
        // What comes back must be there before anything can point to it, and what goes must be let go of first.
        for case .disappeared(let object) in group.records.reversed() { resurrect(object) }
        for record in group.records.reversed() {
            switch record {
            case .value(let object, let slot, let old):
                restore(old, slot, of: object)
                touched.append(object)
            case .pair(let object, let slot, let target, let isLinked):
                setPair(object, slot, with: target, isLinked: !isLinked)
                touched += [object, target]
            case .appeared, .disappeared, .order: continue
            }
        }
        for case .appeared(let object) in group.records.reversed() { delete(object) }
        processChanges()
        // The oldest order of each relationship is set last.
        for case .order(let object, let slot, let old) in group.records.reversed() {
            guard object.state != .deleted, object.state != .gone else { continue }
            guard relatedIDs(object, slot) != old else { continue }
            recordOrder(of: object, slot)
            object.setRelatedObjects(old.map { self.object(with: $0) }.filter { $0.state != .gone }, slot)
            touched.append(object)
        }
        processChanges()
        for object in touched { settleIfUnchanged(object) }
        tell(group, touched)
        guard !stack.open.records.isEmpty else { return nil }
        var inverse = stack.open
        inverse.name = group.name
        return inverse
    }

    /// Calls the hook of each object that the group has changed, once.
    private func tell(_ group: UndoGroup, _ touched: [ManagedObject]) {
        var events: [ManagedObject: SnapshotEvents] = [:]
        for object in touched { events[object, default: []].insert(.undoUpdate) }
        for record in group.records {
            switch record {
            case .appeared(let object): events[object, default: []].insert(.undoInsertion)
            case .disappeared(let object): events[object, default: []].insert(.undoDeletion)
            case .value, .pair, .order: continue
            }
        }
        for (object, events) in events.sorted(by: { $0.key.uniqueID < $1.key.uniqueID }) { object.awake(from: events) }
    }

    private func restore(_ value: PropertyValue, _ slot: Int, of object: ManagedObject) {
        guard object.state != .gone else { return }
        if object.kind.entity.properties[slot].relationship == nil {
            object.write(value, slot)
        } else {
            setRegister(object, slot, to: value.referencedID)
        }
    }

    /// Brings a deleted object back: as it was when the deletion is not saved, else as a new object under its ID.
    func resurrect(_ object: ManagedObject) {
        guard object.state == .deleted || object.state == .gone, object.managedObjectContext === self else { return }
        let wasSaved = object.state == .deleted
        if !wasSaved {
            object.row = nil
            object.changed.removeAll()
            object.extras?.isUnsaved = false
            object.extras?.related = [:]
            object.extras?.faultError = nil
            if object.values.isEmpty { object.values = object.kind.defaults }
        }
        pending.resurrect(object, isChanged: !object.changed.isEmpty || hasPairs(object))
        for (slot, property) in object.kind.entity.properties.enumerated() {
            guard case .relationship(_, .column) = property else { continue }
            moveInverse(object, slot, from: nil, to: object.read(slot).referencedID)
        }
        undoStack?.record(.appeared(object))
        noteChange { notice in
            if wasSaved { notice.noteResurrected(object.objectID) } else { notice.inserted.insert(object.objectID) }
        }
    }

    private func hasPairs(_ object: ManagedObject) -> Bool {
        object.kind.entity.properties.indices.contains { slot in
            guard case .relationship(_, .links) = object.kind.entity.properties[slot] else { return false }
            return pending.delta[key(object, slot)] != nil
        }
    }

    /// An object whose values are those of its row again has no changes.
    private func settleIfUnchanged(_ object: ManagedObject) {
        guard object.state == .updated, let row = object.row else { return }
        for slot in object.changed.slots where object.values[slot] == row.values[slot] { object.changed.remove(slot) }
        guard object.changed.isEmpty, !hasPairs(object) else { return }
        pending.move(object, on: .revertToRow)
    }
}

extension ObjectsDidChange {
    /// A deletion that was taken back.
    fileprivate mutating func noteResurrected(_ id: ManagedObjectID) {
        deleted.remove(id)
        updated.insert(id)
    }
}
