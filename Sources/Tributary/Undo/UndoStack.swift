import TributaryChanges

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
    /// The purpose of the steps that are recorded now.
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

    /// Ends the group of a job on the main actor or a `perform`, unless a program has begun the group.
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

    /// Removes every step about the objects, because others have deleted them.
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
