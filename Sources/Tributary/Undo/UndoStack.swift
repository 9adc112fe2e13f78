import TributaryChanges

/// What a context can take back, and what it has taken back and can do again.
///
/// ```swift
/// let undo = container.viewContext.undoStack
/// employee.name = "Bob"
/// undo?.setActionName("Rename")
/// container.viewContext.undo()     // "Ann" again
/// container.viewContext.redo()
/// ```
/// The view context has one; a background context gets one when it is asked to: `context.undoStack = UndoStack()`. The
/// changes of one `perform` are one group; on the view context those of one job on the main actor are, so what happens
/// between two ``ManagedObjectContext/processPendingChanges()``. Inserts, deletions with all that their rules did,
/// values and relationships are recorded.
///
/// A save keeps the stack: undo makes a new change then, and an object whose deletion was saved is inserted again under
/// its ID. A rollback and a reset empty it. What a merge brings is not recorded, and a merged deletion of an object takes
/// every step about it off the stack.
public final class UndoStack {
    /// What happens to the steps that are recorded now.
    enum Phase { case recording, undoing, redoing }

    weak var context: ManagedObjectContext?
    var undoGroups: [UndoGroup] = []
    var redoGroups: [UndoGroup] = []
    /// The group that is open.
    var open = UndoGroup()
    var phase = Phase.recording
    private var disabledCount = 0

    /// Groups that are kept; when there are more, the oldest is dropped.
    ///
    /// 0 keeps all. 100 by default.
    public var levelsOfUndo = 100 {
        didSet { bound() }
    }
    /// How many groups were begun and not ended.
    public private(set) var groupingLevel = 0

    /// An empty stack; give it to a context.
    public init() {}

    // MARK: Asking

    /// Whether there is something to take back.
    public var canUndo: Bool { !undoGroups.isEmpty || !open.records.isEmpty }
    /// Whether there is something to do again.
    public var canRedo: Bool { !redoGroups.isEmpty && open.records.isEmpty }
    /// What ``ManagedObjectContext/undo()`` would take back, for people; empty when it has no name.
    public var undoActionName: String {
        open.records.isEmpty ? undoGroups.last?.name ?? "" : open.name
    }
    /// What ``ManagedObjectContext/redo()`` would do again, for people; empty when it has no name.
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

    /// Begins a group that only ``endUndoGrouping()`` ends, over several jobs or `perform` bodies if need be.
    public func beginUndoGrouping() {
        if groupingLevel == 0 { close() }
        groupingLevel += 1
    }

    /// Ends what ``beginUndoGrouping()`` began; a group inside another one is part of it.
    public func endUndoGrouping() {
        guard groupingLevel > 0 else { return }
        context?.processChanges()
        groupingLevel -= 1
        if groupingLevel == 0 { close() }
    }

    /// A job on the main actor or a `perform` has ended, and the group with it unless a program has begun one.
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

    // MARK: Recording or not

    /// Whether changes are recorded.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Records nothing until ``enableUndoRegistration()`` is called as often.
    public func disableUndoRegistration() {
        context?.processChanges()
        disabledCount += 1
    }

    /// Ends what ``disableUndoRegistration()`` began.
    public func enableUndoRegistration() {
        guard disabledCount > 0 else { return }
        context?.processChanges()
        disabledCount -= 1
    }

    /// Forgets everything that could be undone or redone.
    public func removeAllActions() {
        undoGroups = []
        redoGroups = []
        open = UndoGroup()
        groupingLevel = 0
    }

    func record(_ record: UndoRecord) {
        guard disabledCount == 0 else { return }
        // A new change is another future.
        if phase == .recording, !redoGroups.isEmpty { redoGroups = [] }
        open.add(record)
    }

    /// Takes every step about the objects off: others have deleted them.
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
