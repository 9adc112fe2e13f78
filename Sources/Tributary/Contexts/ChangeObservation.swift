import Synchronization
public import TributaryChanges

final class ChangeObservation {
    let changes = ObserverList<(ObjectsDidChange) -> Void>()
    let willSaves = ObserverList<(ManagedObjectContext) -> Void>()
    let didSaves = ObserverList<(ManagedObjectContext, ObjectChanges) -> Void>()
    let inaccessibleFaults = ObserverList<(ManagedObject, ContextError) -> Void>()

    private var pending = ObjectsDidChange()
    private var isNotifying = false

    // The `@exclusivity(unchecked)` properties are read or incremented with each change of a value. An access to them
    // lasts no longer than the instruction that makes it, so accesses cannot overlap.

    private let isScheduled: Bool
    @exclusivity(unchecked) var isProcessingScheduled = false
    @exclusivity(unchecked) private(set) var event: UInt64 = 1

    init(isScheduled: Bool) {
        self.isScheduled = isScheduled
    }

    @inline(__always)
    var needsScheduling: Bool { isScheduled && !isProcessingScheduled }

    @inline(__always)
    func record(_ change: (inout ObjectsDidChange) -> Void) {
        if !changes.isEmpty { change(&pending) }
    }

    func beginEvent() { event &+= 1 }

    func discardPending() { pending = ObjectsDidChange() }

    func notifyOfChanges(maximumRounds: Int, afterRound: () -> Void) {
        guard !isNotifying else { return }
        isNotifying = true
        defer { isNotifying = false }
        var rounds = 0
        while !pending.isEmpty, rounds < maximumRounds {
            let notification = pending
            pending = ObjectsDidChange()
            changes.forEach { $0(notification) }
            afterRound()
            rounds += 1
        }
    }

    func removeCancelled() {
        changes.removeCancelled()
        willSaves.removeCancelled()
        didSaves.removeCancelled()
        inaccessibleFaults.removeCancelled()
    }

    func removeAll() {
        changes.removeAll()
        willSaves.removeAll()
        didSaves.removeAll()
        inaccessibleFaults.removeAll()
    }
}

/// The changes in a context since the previous notification, made by the context itself or by a merge.
public struct ObjectsDidChange: Sendable {
    /// Objects that were inserted here, or that a merge announced.
    public internal(set) var inserted: Set<ManagedObjectID> = []
    /// Objects with changed values or relationships.
    public internal(set) var updated: Set<ManagedObjectID> = []
    /// Objects that were deleted here, or that a merge found deleted.
    public internal(set) var deleted: Set<ManagedObjectID> = []
    /// Unsaved edits that were dropped, because the object was deleted elsewhere: the values that the context had set.
    public internal(set) var discarded: [ObjectSnapshot] = []
    /// Whether objects that are not listed may have changed as well, because a merge was too large to list.
    public internal(set) var isEverything = false

    var merged = ObjectChanges()

    init() {}

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && discarded.isEmpty && merged.isEmpty && !isEverything
    }

    mutating func addDeletion(of id: ManagedObjectID) {
        updated.remove(id)
        if inserted.remove(id) == nil { deleted.insert(id) }
    }

    mutating func addUpdate(of id: ManagedObjectID) {
        guard !inserted.contains(id), !deleted.contains(id) else { return }
        updated.insert(id)
    }
}

/// The registration of an observer, which can cancel it.
///
/// ```swift
/// let observer = context.observeDidSave { context, changes in print(changes) }
/// observer.cancel()
/// ```
/// An observer stays until it is cancelled, or the context has closed; releasing the token does not end it. The token
/// may leave a `perform`, and may cancel from anywhere.
public final class ObserverToken: Sendable {
    private let isCancelled = Atomic(false)

    /// Whether the observer has not been cancelled.
    public var isActive: Bool { !isCancelled.load(ordering: .acquiring) }

    /// Ends the registration; no call of the observer begins after this, not even for a notification in progress.
    ///
    /// The context releases the observer's closure, on its own queue or actor, when it next notifies observers;
    /// ``ManagedObjectContext/removeObserver(_:)`` releases it at once.
    public func cancel() { isCancelled.store(true, ordering: .releasing) }
}

final class ObserverList<Block> {
    private var entries: [(token: ObserverToken, block: Block)] = [] {
        didSet { isEmpty = entries.isEmpty }
    }
    /// Read with each change of a value; accesses cannot overlap.
    @exclusivity(unchecked) private(set) var isEmpty = true
    var first: Block?

    func add(_ block: Block) -> ObserverToken {
        let token = ObserverToken()
        entries.append((token, block))
        return token
    }

    func forEach(_ notify: (Block) -> Void) {
        if let first { notify(first) }
        guard !isEmpty else { return }
        for entry in entries where entry.token.isActive { notify(entry.block) }
        removeCancelled()
    }

    func removeCancelled() {
        if entries.contains(where: { !$0.token.isActive }) { entries.removeAll { !$0.token.isActive } }
    }

    func removeAll() {
        let removed = entries
        entries = []
        for entry in removed { entry.token.cancel() }
    }
}
