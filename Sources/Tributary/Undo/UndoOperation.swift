import TributaryChanges
import TributaryModel
import TributaryStore

struct UndoOperation {
    let context: ManagedObjectContext
    let stack: UndoStack

    /// Reverts the steps, the last first, and returns the steps that revert this; nil when nothing was done.
    func apply(_ group: UndoGroup, _ phase: UndoStack.Phase) -> UndoGroup? {
        stack.phase = phase
        defer {
            stack.phase = .recording
            stack.open = UndoGroup()
        }
        var touched: [ManagedObject] = []
        // Inserted objects must exist before a reference to them is set, and references to removed ones are dropped
        // first.
        for case .disappeared(let object) in group.records.reversed() { context.relationships.resurrect(object) }
        for record in group.records.reversed() {
            switch record {
            case .value(let object, let propertyIndex, let old):
                restore(old, propertyIndex, of: object)
                touched.append(object)
            case .pair(let object, let propertyIndex, let target, let isLinked):
                context.relationships.setPair(object, propertyIndex, with: target, isLinked: !isLinked)
                touched += [object, target]
            case .appeared, .disappeared, .order: continue
            }
        }
        for case .appeared(let object) in group.records.reversed() { context.delete(object) }
        context.processChanges()
        // The oldest order of each relationship is set last.
        for case .order(let object, let propertyIndex, let old) in group.records.reversed() {
            guard object.state != .deleted, object.state != .gone else { continue }
            let current = context.relationships.relatedIDs(object, propertyIndex)
            let restored = RelationshipOrdering(old).ordering(current)
            guard restored != current else { continue }
            object.arrange(restored, propertyIndex)
            touched.append(object)
        }
        context.processChanges()
        for object in touched { unlistIfUnchanged(object) }
        callAwake(group, touched)
        guard !stack.open.records.isEmpty else { return nil }
        var inverse = stack.open
        inverse.name = group.name
        return inverse
    }

    /// Calls the hook of each object that the group has changed, once.
    private func callAwake(_ group: UndoGroup, _ touched: [ManagedObject]) {
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

    private func restore(_ value: PropertyValue, _ propertyIndex: Int, of object: ManagedObject) {
        guard object.state != .gone else { return }
        if object.descriptor.entity.properties[propertyIndex].relationship == nil {
            object.write(value, propertyIndex)
        } else {
            context.relationships.setRegister(object, propertyIndex, to: value.referencedID)
        }
    }

    private func unlistIfUnchanged(_ object: ManagedObject) {
        guard object.state == .updated, let row = object.row else { return }
        for propertyIndex in object.changed.propertyIndexes
        where object.values[propertyIndex] == row.values[propertyIndex] { object.changed.remove(propertyIndex) }
        guard object.changed.isEmpty, !context.relationships.hasPairs(object),
            !context.relationships.isReordered(object)
        else { return }
        context.pending.move(object, on: .revertToRow)
    }
}
