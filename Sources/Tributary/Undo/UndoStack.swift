import TributaryChanges
import TributaryModel
import TributaryStore

/// The changes of a context that can be undone, and the undone changes that can be redone.
///
/// ```swift
/// let undo = container.viewContext.undoStack
/// employee.name = "Bob"
/// undo?.setActionName("Rename")
/// container.viewContext.undo()     // "Ann" again
/// container.viewContext.redo()
/// ```
/// The view context has a stack; a background context gets a stack by `context.undoStack = UndoStack()`. The changes of
/// one `perform` are one group. On the view context the changes of one job on the main actor, between two calls of
/// ``ManagedObjectContext/processPendingChanges()``, are one group. Inserts, deletions with the effects of their rules,
/// values and relationships are recorded.
///
/// An undo reverts the context's changes on top of the newest merged rows, and never restores an old row. A save keeps
/// the stack: a later undo makes a new change, and an object with a saved deletion is inserted again under its ID. A
/// rollback and a reset empty the stack. Merged changes are not recorded, and a merged deletion of an object removes
/// every step about it from the stack.
public final class UndoStack {
    enum Phase { case recording, undoing, redoing }

    weak var context: ManagedObjectContext?
    var undoGroups: [UndoGroup] = []
    var redoGroups: [UndoGroup] = []
    var open = UndoGroup()
    var phase = Phase.recording
    private var disabledCount = 0

    /// The maximum number of groups; when there are more, the oldest is dropped.
    ///
    /// 0 keeps all groups. The default is 100.
    public var levelsOfUndo = 100 {
        didSet { bound() }
    }
    /// The number of groups that were begun and not ended.
    public private(set) var groupingLevel = 0

    /// Creates an empty stack for a context.
    public init() {}

    // MARK: Asking

    /// Whether there are changes to undo.
    public var canUndo: Bool { !undoGroups.isEmpty || !open.records.isEmpty }
    /// Whether there are changes to redo.
    public var canRedo: Bool { !redoGroups.isEmpty && open.records.isEmpty }
    /// The name of the group that ``ManagedObjectContext/undo()`` would revert; empty when it has no name.
    public var undoActionName: String {
        open.records.isEmpty ? undoGroups.last?.name ?? "" : open.name
    }
    /// The name of the group that ``ManagedObjectContext/redo()`` would repeat; empty when it has no name.
    public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

    /// Names the open group, or the last group when nothing has changed since.
    public func setActionName(_ name: String) {
        if open.records.isEmpty, groupingLevel == 0, !undoGroups.isEmpty {
            undoGroups[undoGroups.count - 1].name = name
        } else {
            open.name = name
        }
    }

    // MARK: Grouping

    /// Begins a group that only ``endUndoGrouping()`` ends, over several jobs or `perform` blocks if necessary.
    public func beginUndoGrouping() {
        if groupingLevel == 0 { close() }
        groupingLevel += 1
    }

    /// Ends the group that ``beginUndoGrouping()`` began; a group inside another group is part of it.
    public func endUndoGrouping() {
        guard groupingLevel > 0 else { return }
        context?.processChanges()
        groupingLevel -= 1
        if groupingLevel == 0 { close() }
    }

    func endEvent() {
        if groupingLevel == 0 { close() }
    }

    func close() {
        defer { open = UndoGroup() }
        guard !open.records.isEmpty else { return }
        undoGroups.append(open)
        bound()
    }

    private func bound() {
        guard levelsOfUndo > 0 else { return }
        undoGroups.removeFirst(max(0, undoGroups.count - levelsOfUndo))
        redoGroups.removeFirst(max(0, redoGroups.count - levelsOfUndo))
    }

    // MARK: Registration

    /// Whether changes are recorded.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Stops recording until ``enableUndoRegistration()`` is called as many times.
    public func disableUndoRegistration() {
        context?.processChanges()
        disabledCount += 1
    }

    /// Ends the effect of a ``disableUndoRegistration()``.
    public func enableUndoRegistration() {
        guard disabledCount > 0 else { return }
        context?.processChanges()
        disabledCount -= 1
    }

    /// Removes all changes that could be undone or redone.
    public func removeAllActions() {
        undoGroups = []
        redoGroups = []
        open = UndoGroup()
        groupingLevel = 0
    }

    func record(_ record: UndoRecord) {
        guard disabledCount == 0 else { return }
        // A new change makes the undone changes invalid.
        if phase == .recording, !redoGroups.isEmpty { redoGroups = [] }
        open.add(record)
    }

    func forget(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        let gone = Set(objects.map(ObjectIdentifier.init))
        let ids = Set(objects.map(\.objectID))
        func without(_ groups: [UndoGroup]) -> [UndoGroup] {
            groups.compactMap { group in
                var group = group
                group.forget(gone, ids)
                return group.records.isEmpty ? nil : group
            }
        }
        undoGroups = without(undoGroups)
        redoGroups = without(redoGroups)
        open.forget(gone, ids)
    }
}

@available(*, unavailable, message: "an UndoStack belongs to one context")
extension UndoStack: @unchecked Sendable {}

struct UndoGroup {
    private struct Place: Hashable {
        var object: ObjectIdentifier
        var propertyIndex: Int
    }

    var name = ""
    private(set) var records: [UndoRecord] = []
    private var moved: [Place: Set<ManagedObjectID>] = [:]
    /// They stay in use, so that the context is notified of their deletion.
    private var movedObjects: Set<ManagedObject> = []

    /// The oldest value of a property is kept; amounts of a counter are added.
    mutating func add(_ record: UndoRecord) {
        if case .count(let object, let propertyIndex, let amount) = record,
            case .count(let last, propertyIndex, let sum)? = records.last,
            last === object
        {
            let whole = CounterTotals.sum(sum, amount)
            records[records.count - 1] = .count(object, propertyIndex: propertyIndex, amount: whole)
            return
        }
        if case .value(let object, let propertyIndex, _, _) = record,
            case .value(let last, propertyIndex, _, _)? = records.last,
            last === object
        {
            return
        }
        records.append(record)
    }

    /// Nil when the group has not recorded an order; the oldest recorded order is restored.
    func moves(in object: ManagedObject, _ propertyIndex: Int) -> Set<ManagedObjectID>? {
        moved[Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex)]
    }

    mutating func addMoves(
        of ids: some Sequence<ManagedObjectID>,
        in object: ManagedObject,
        _ propertyIndex: Int
    ) {
        if let context = object.managedObjectContext {
            movedObjects.formUnion(ids.lazy.compactMap { context.registeredObject(for: $0) })
        }
        moved[Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex), default: []].formUnion(ids)
    }

    mutating func forget(_ objects: Set<ObjectIdentifier>, _ ids: Set<ManagedObjectID>) {
        var unmoved: Set<Place> = []
        for (place, moves) in moved where !moves.isDisjoint(with: ids) {
            moved[place]?.subtract(ids)
            if moves.isSubset(of: ids) { unmoved.insert(place) }
        }
        records.removeAll { record in
            guard case .order(let object, let propertyIndex, _, _) = record else { return record.concerns(objects) }
            let place = Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex)
            return record.concerns(objects) || unmoved.contains(place)
        }
        moved = moved.filter { !objects.contains($0.key.object) && !unmoved.contains($0.key) }
    }
}

/// `unchangedAt`: the save count of a property's first change; until the next save its undo shows the stored value.
enum UndoRecord {
    case value(ManagedObject, propertyIndex: Int, old: PropertyValue, unchangedAt: UInt64?)
    case count(ManagedObject, propertyIndex: Int, amount: PropertyValue)
    /// `before` is the context's own change of the pair before the step; until the next save an undo restores it.
    case pair(
        ManagedObject,
        propertyIndex: Int,
        target: ManagedObject,
        wasLinked: Bool,
        before: RelationshipDelta.PairChange
    )
    /// `insertedAt` is the save count of an insertion; nil when an unsaved deletion was undone.
    case appeared(ManagedObject, insertedAt: UInt64?)
    case disappeared(ManagedObject)
    /// `before` is the context's own change of the order before the step; until the next save an undo restores it.
    case order(ManagedObject, propertyIndex: Int, old: [ManagedObjectID], before: RelationshipDelta.OrderChange)

    func concerns(_ objects: Set<ObjectIdentifier>) -> Bool {
        switch self {
        case .value(let subject, _, _, _), .count(let subject, _, _), .appeared(let subject, _),
            .disappeared(let subject), .order(let subject, _, _, _):
            objects.contains(ObjectIdentifier(subject))
        case .pair(let subject, _, let target, _, _):
            objects.contains(ObjectIdentifier(subject)) || objects.contains(ObjectIdentifier(target))
        }
    }
}

struct UndoRecorder {
    let context: ManagedObjectContext

    /// Called before the order changes; undo puts the moved objects back.
    func recordOrder(
        of object: ManagedObject,
        _ propertyIndex: Int,
        moving ids: some Sequence<ManagedObjectID>
    ) {
        guard let undoStack = context.undoStack, undoStack.isUndoRegistrationEnabled,
            object.descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true, object.state != .gone
        else { return }
        if undoStack.open.moves(in: object, propertyIndex) == nil {
            let old = context.relationships.relatedIDs(object, propertyIndex)
            let before = context.relationships.orderChange(object, propertyIndex)
            undoStack.record(.order(object, propertyIndex: propertyIndex, old: old, before: before))
        }
        undoStack.open.addMoves(of: ids, in: object, propertyIndex)
    }

    func recordPair(_ object: ManagedObject, _ propertyIndex: Int, with target: ManagedObject, wasLinked: Bool) {
        guard let undoStack = context.undoStack else { return }
        recordOrder(of: object, propertyIndex, moving: [target.objectID])
        if let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (_, inverseIndex) = context.relationships.inverse(of: relationship)
        {
            recordOrder(of: target, inverseIndex, moving: [object.objectID])
        }
        let before = context.relationships.pairChange(object, propertyIndex, with: target)
        undoStack.record(
            .pair(object, propertyIndex: propertyIndex, target: target, wasLinked: wasLinked, before: before)
        )
    }

    func recordOrders(_ object: ManagedObject, _ propertyIndex: Int, from old: PropertyValue, to new: PropertyValue) {
        guard context.undoStack?.isUndoRegistrationEnabled == true,
            let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = context.relationships.inverse(of: relationship),
            descriptor.entity.properties[inverseIndex].relationship?.isOrdered == true
        else { return }
        for id in [old.referencedID, new.referencedID] {
            guard let id else { continue }
            let owner = context.object(with: descriptor.objectID(id))
            recordOrder(of: owner, inverseIndex, moving: [object.objectID])
        }
    }
}

struct UndoOperation {
    let context: ManagedObjectContext
    let stack: UndoStack

    func apply(_ group: UndoGroup, _ phase: UndoStack.Phase) -> UndoGroup? {
        stack.phase = phase
        defer {
            stack.phase = .recording
            stack.open = UndoGroup()
        }
        var touched: [ManagedObject] = []
        // Inserted objects must exist before a reference to them is set. References to removed objects are dropped
        // first.
        let reverted = Set(insertions(group))
        for case .disappeared(let object) in group.records.reversed() {
            context.relationships.resurrect(object, reverted: reverted)
        }
        for case .disappeared(let object) in group.records where object.state == .inserted {
            context.relationships.dropMissingReferences(of: object)
        }
        for record in group.records.reversed() {
            switch record {
            case .value(let object, let propertyIndex, let old, let save):
                restore(old, propertyIndex, of: object, isOwn: !context.pending.isUnsaved(save))
                touched.append(object)
            case .pair(let object, let propertyIndex, let target, let wasLinked, let before):
                guard object.state != .gone, target.state != .gone else { continue }
                let graph = context.relationships
                if context.pending.isUnsaved(before.saveCount) {
                    graph.restorePair(object, propertyIndex, with: target, to: before)
                } else {
                    graph.setPair(object, propertyIndex, with: target, isLinked: wasLinked)
                }
                touched += [object, target]
            case .count(let object, let propertyIndex, let amount):
                guard object.state != .gone else { continue }
                object.count(CounterTotals.difference(.integer(0), amount), propertyIndex)
                touched.append(object)
            case .appeared, .disappeared, .order: continue
            }
        }
        for object in insertions(group) { context.delete(object) }
        context.processChanges()
        // The oldest order of each relationship is set last.
        var owners: [ManagedObject] = []
        for case .order(let object, let propertyIndex, let old, let before) in group.records.reversed() {
            guard object.state != .deleted, object.state != .gone else { continue }
            let moves = group.moves(in: object, propertyIndex) ?? []
            owners.append(object)
            if context.pending.isUnsaved(before.saveCount) {
                let graph = context.relationships
                if graph.restoreOrder(object, propertyIndex, to: before, moving: moves) {
                    touched.append(object)
                } else if graph.hasMoves(object) {
                    // The moved objects may no longer have a change.
                    context.recordEdit(of: object)
                }
                continue
            }
            // A list of an object that is inserted again has no stored order.
            let moved = object.state == .inserted ? Set(old) : moves
            let current = context.relationships.relatedIDs(object, propertyIndex)
            let restored = RelationshipOrdering(old, moved: moved).ordering(current)
            guard restored != current else { continue }
            object.arrange(restored, propertyIndex, moving: moved)
            touched.append(object)
        }
        context.processChanges()
        for object in touched + owners { context.relationships.unlistIfUnchanged(object) }
        callAwake(group, touched)
        guard !stack.open.records.isEmpty else { return nil }
        var inverse = stack.open
        inverse.name = group.name
        return inverse
    }

    /// The last insertion comes first; an object that others have inserted as well stays.
    private func insertions(_ group: UndoGroup) -> [ManagedObject] {
        group.records.reversed().compactMap { record in
            guard case .appeared(let object, let save) = record else { return nil }
            return !context.pending.isUnsaved(save) || object.state == .inserted ? object : nil
        }
    }

    private func callAwake(_ group: UndoGroup, _ touched: [ManagedObject]) {
        var events: [ManagedObject: SnapshotEvents] = [:]
        for object in touched { events[object, default: []].insert(.undoUpdate) }
        for record in group.records {
            switch record {
            case .appeared(let object, _): events[object, default: []].insert(.undoInsertion)
            case .disappeared(let object): events[object, default: []].insert(.undoDeletion)
            case .value, .count, .pair, .order: continue
            }
        }
        for (object, events) in events.sorted(by: { $0.key.uniqueID < $1.key.uniqueID }) { object.awake(from: events) }
    }

    /// `isOwn` is whether the value was the context's own, or has to be set again because of a save meanwhile.
    private func restore(_ old: PropertyValue, _ propertyIndex: Int, of object: ManagedObject, isOwn: Bool) {
        object.fire()
        guard object.state != .gone else { return }
        let stored = object.rowValue(propertyIndex)
        let value = isOwn ? old : stored ?? old
        let isStored = value == stored
        let isChange = isOwn && !isStored
        if let relationship = object.descriptor.entity.properties[propertyIndex].relationship {
            let target = value.referencedID
            let isShown = object.relatedID(propertyIndex)?.uniqueID == target
            if isOwn, isShown, object.state != .inserted, !object.changed.contains(propertyIndex) { return }
            if isOwn, let target {
                // A reference to an object that others have deleted does not come back.
                guard let descriptor = context.schema.descriptor(named: relationship.destination) else { return }
                guard !context.relationships.isMissing(target, descriptor) else { return }
                context.relationships.release(target, at: propertyIndex, for: object)
            }
            context.relationships.setRegister(object, propertyIndex, to: target, isMove: !isStored)
            // Others may have set the same target, and then the context has not added the object.
            if isStored, let target {
                context.relationships.moveInverse(object, propertyIndex, from: target, to: target)
            }
        } else {
            object.write(value, propertyIndex)
        }
        if isChange { object.markSet(propertyIndex) } else { object.unmarkSet(propertyIndex) }
    }

}

extension ManagedObjectContext {
    func endUndoGroup() {
        undoStack?.endEvent()
        for child in children.all {
            if child.undoStack != nil { child.processChanges() }
            child.endUndoGroup()
        }
    }

    /// Reverts the last group of changes; does nothing without a group or without an ``undoStack``.
    ///
    /// An open group that a program has begun is ended first.
    public func undo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        while stack.groupingLevel > 1 { stack.endUndoGrouping() }
        if stack.groupingLevel == 1 { stack.endUndoGrouping() } else { stack.close() }
        guard let group = stack.undoGroups.popLast() else { return }
        if let inverse = UndoOperation(context: self, stack: stack).apply(group, .undoing) {
            stack.redoGroups.append(inverse)
        }
        processChanges()
    }

    /// Repeats the changes that were undone last.
    ///
    /// It does nothing when other changes were made since, or in a group that a program has begun.
    public func redo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        guard stack.groupingLevel == 0 else { return }
        stack.close()
        guard let group = stack.redoGroups.popLast() else { return }
        if let inverse = UndoOperation(context: self, stack: stack).apply(group, .redoing) {
            stack.undoGroups.append(inverse)
        }
        processChanges()
    }
}

// MARK: Failed transactions

extension UndoStack {
    /// Puts the changes of a save with a failed transaction below the later steps; costs a look at each step.
    func restore(_ memento: SaveMemento, _ graph: RelationshipGraph) {
        let changed = Dictionary(memento.entries.map { (ObjectIdentifier($0.object), $0.changed) }) { first, _ in
            first
        }
        for index in undoGroups.indices { undoGroups[index].restore(memento, changed, graph) }
        for index in redoGroups.indices { redoGroups[index].restore(memento, changed, graph) }
        open.restore(memento, changed, graph)
    }
}

extension UndoGroup {
    fileprivate mutating func restore(
        _ memento: SaveMemento,
        _ changed: [ObjectIdentifier: PropertyIndexSet],
        _ graph: RelationshipGraph
    ) {
        records = records.map { $0.restored(memento, changed, graph) }
    }
}

extension UndoRecord {
    fileprivate func restored(
        _ memento: SaveMemento,
        _ changed: [ObjectIdentifier: PropertyIndexSet],
        _ graph: RelationshipGraph
    ) -> UndoRecord {
        switch self {
        case .value(let object, let propertyIndex, let old, let saves?):
            guard saves > memento.saveCount, changed[ObjectIdentifier(object)]?.contains(propertyIndex) == true
            else { return self }
            return .value(object, propertyIndex: propertyIndex, old: old, unchangedAt: nil)
        case .pair(let object, let propertyIndex, let target, let wasLinked, var before):
            guard before.saveCount > memento.saveCount else { return self }
            let former = graph.pairChange(object, propertyIndex, with: target, in: memento.delta)
            before.here = before.here ?? former.here
            before.there = before.there ?? former.there
            return .pair(object, propertyIndex: propertyIndex, target: target, wasLinked: wasLinked, before: before)
        case .order(let object, let propertyIndex, let old, var before):
            guard before.saveCount > memento.saveCount else { return self }
            let former = graph.orderChange(object, propertyIndex, in: memento.delta)
            let added = Set(before.added)
            before.added = former.added.filter { !added.contains($0) } + before.added
            before.ordering = before.ordering.map { former.ordering?.adding($0) ?? $0 } ?? former.ordering
            return .order(object, propertyIndex: propertyIndex, old: old, before: before)
        case .value, .count, .appeared, .disappeared: return self
        }
    }
}
