// Undo: the groups of recorded changes, and their inverse.

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
/// The view context has a stack; a background context gets one by `context.undoStack = UndoStack()`. The changes of one
/// `perform` are one group. On the view context the changes of one job on the main actor are one group, that is, those
/// between two calls of ``ManagedObjectContext/processPendingChanges()``. Inserts, deletions with the effects of their
/// rules, values and relationships are recorded.
///
/// A save keeps the stack: a later undo makes a new change, and an object whose deletion was saved is inserted again
/// under its ID. A rollback and a reset empty the stack. Merged changes are not recorded, and a merged deletion of an
/// object removes every step about it from the stack.
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

    /// Names the open group, or the last one when nothing has changed since.
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

    /// Ends the group that ``beginUndoGrouping()`` began; a group inside another one is part of it.
    public func endUndoGrouping() {
        guard groupingLevel > 0 else { return }
        context?.processChanges()
        groupingLevel -= 1
        if groupingLevel == 0 { close() }
    }

    /// A group that a program has begun stays open.
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

    /// Ends the effect of one ``disableUndoRegistration()``.
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

    /// Removes every step about objects that others have deleted.
    func forget(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        let gone = Set(objects.map(ObjectIdentifier.init))
        func without(_ groups: [UndoGroup]) -> [UndoGroup] {
            groups.compactMap { group in
                var group = group
                group.forget(gone)
                return group.records.isEmpty ? nil : group
            }
        }
        undoGroups = without(undoGroups)
        redoGroups = without(redoGroups)
        open.forget(gone)
    }
}

/// A stack stays with its context.
@available(*, unavailable, message: "an UndoStack belongs to one context")
extension UndoStack: @unchecked Sendable {}

struct UndoGroup {
    private struct Place: Hashable {
        var object: ObjectIdentifier
        var propertyIndex: Int
    }

    var name = ""
    private(set) var records: [UndoRecord] = []
    private var ordered: Set<Place> = []

    /// Of several values of one property, the oldest is kept.
    mutating func add(_ record: UndoRecord) {
        if case .value(let object, let propertyIndex, _) = record,
            case .value(let last, propertyIndex, _)? = records.last,
            last === object
        {
            return
        }
        if case .order(let object, let propertyIndex, _) = record {
            guard ordered.insert(Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex)).inserted else {
                return
            }
        }
        records.append(record)
    }

    /// Whether the group has recorded the relationship's order; the oldest one is restored.
    func hasOrder(of object: ManagedObject, _ propertyIndex: Int) -> Bool {
        ordered.contains(Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex))
    }

    mutating func forget(_ objects: Set<ObjectIdentifier>) {
        records.removeAll { $0.concerns(objects) }
        ordered = ordered.filter { !objects.contains($0.object) }
    }
}

enum UndoRecord {
    case value(ManagedObject, propertyIndex: Int, old: PropertyValue)
    case pair(ManagedObject, propertyIndex: Int, target: ManagedObject, isLinked: Bool)
    case appeared(ManagedObject)
    case disappeared(ManagedObject)
    case order(ManagedObject, propertyIndex: Int, old: [ManagedObjectID])

    func concerns(_ objects: Set<ObjectIdentifier>) -> Bool {
        switch self {
        case .value(let subject, _, _), .appeared(let subject), .disappeared(let subject), .order(let subject, _, _):
            objects.contains(ObjectIdentifier(subject))
        case .pair(let subject, _, let target, _):
            objects.contains(ObjectIdentifier(subject)) || objects.contains(ObjectIdentifier(target))
        }
    }
}

struct UndoRecorder {
    let context: ManagedObjectContext

    /// Called before the order changes, also when only the order changes.
    func recordOrder(of object: ManagedObject, _ propertyIndex: Int) {
        guard let undoStack = context.undoStack, undoStack.isUndoRegistrationEnabled,
            object.descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true, object.state != .gone,
            !undoStack.open.hasOrder(of: object, propertyIndex)
        else { return }
        undoStack.record(
            .order(object, propertyIndex: propertyIndex, old: context.relationships.relatedIDs(object, propertyIndex))
        )
    }

    func recordPair(_ object: ManagedObject, _ propertyIndex: Int, with target: ManagedObject, isLinked: Bool) {
        guard let undoStack = context.undoStack else { return }
        recordOrder(of: object, propertyIndex)
        if let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (_, inverseIndex) = context.relationships.inverse(of: relationship)
        {
            recordOrder(of: target, inverseIndex)
        }
        undoStack.record(.pair(object, propertyIndex: propertyIndex, target: target, isLinked: isLinked))
    }

    /// Records the orders at the other ends that a register's change from one target to another affects.
    func recordOrders(_ object: ManagedObject, _ propertyIndex: Int, from old: PropertyValue, to new: PropertyValue) {
        guard context.undoStack?.isUndoRegistrationEnabled == true,
            let relationship = object.descriptor.entity.properties[propertyIndex].relationship,
            let (descriptor, inverseIndex) = context.relationships.inverse(of: relationship),
            descriptor.entity.properties[inverseIndex].relationship?.isOrdered == true
        else { return }
        for id in [old.referencedID, new.referencedID] {
            if let id { recordOrder(of: context.object(with: descriptor.objectID(id)), inverseIndex) }
        }
    }
}

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

extension ManagedObjectContext {
    /// Reverts the last group of changes; does nothing when there is none, or without an ``undoStack``.
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

    /// Repeats the changes that were undone last; does nothing when other changes were made since.
    public func redo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        if !stack.open.records.isEmpty { stack.close() }
        guard stack.groupingLevel == 0, let group = stack.redoGroups.popLast() else { return }
        if let inverse = UndoOperation(context: self, stack: stack).apply(group, .redoing) {
            stack.undoGroups.append(inverse)
        }
        processChanges()
    }
}
