import TributaryChanges
import TributaryModel
package import TributaryStore

/// A scratch pad of managed objects, bound to one queue or actor.
///
/// The view context belongs to the main actor: ``PersistentContainer/viewContext``. Background contexts are reached
/// through a ``BackgroundContext``, whose `perform` hands the context to a closure:
///
/// ```swift
/// let id = try await background.perform { context in
///     let employee = try context.insert(Employee.self)
///     employee.name = "Ann"
///     try context.save()
///     return employee.objectID
/// }
/// ```
///
/// Everything here is synchronous and plain. The context holds its objects weakly as long as they have no changes;
/// objects hold their context strongly.
public final class ManagedObjectContext {
    /// The name that history has for each transaction.
    public let name: String?
    /// Who makes the changes; goes to the history and, with the transaction, to other machines.
    public var author: String? {
        get { saving.author }
        set { saving.author = newValue }
    }
    /// What a save does about objects that were changed in the store meanwhile.
    public var mergePolicy: MergePolicy {
        get { saving.mergePolicy }
        set { saving.mergePolicy = newValue }
    }
    /// Decides for one conflict which policy applies to the object; nil leaves it to ``mergePolicy``.
    ///
    /// It is called inside the save, once for each object in conflict, and may read and change the live object: what it
    /// sets is written with `objectTrump` or `overwrite`. It may change other objects too: the save validates and writes
    /// them as well, whether they had changes before or not. When it throws, the save does. The write lock is held while it
    /// runs: a save in it, of this context or another one, throws ``ContextError/saveInProgress(by:)``, and rolling back,
    /// resetting or refreshing what is being saved makes the save throw.
    public var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)? {
        get { saving.resolveConflict }
        set { saving.resolveConflict = newValue }
    }
    /// Whether the context takes over what others have saved by itself.
    ///
    /// A background context does so at the start of each `perform`, never inside one; it is false there by default. On
    /// the view context it stands for the timer, and is true by default: when it is false, only
    /// ``PersistentContainer/mergePendingChanges()``, a save and ``reset()`` move the context.
    public var automaticallyMergesChangesFromParent: Bool {
        didSet { if isMain { home.pipeline.mailbox.setAutomatic(automaticallyMergesChangesFromParent) } }
    }
    /// Whether the context holds all its objects, and not only those with changes.
    public var retainsRegisteredObjects: Bool {
        get { registry.isRetaining }
        set { registry.retain(newValue) }
    }
    /// The transaction of the last save in this context; ``PersistentContainer/mergePendingChanges(through:)`` takes it.
    public internal(set) var lastSaveToken: HistoryToken? {
        get { saving.lastToken }
        set { saving.lastToken = newValue }
    }

    /// What can be taken back; nil when nothing is recorded, as on a background context by default.
    public var undoStack: UndoStack? {
        didSet {
            undoStack?.context = self
            pending.followWrites(forUndo: undoStack != nil)
        }
    }

    /// The context that this one was made from with `newChild`; nil when its rows come from the store or from a context
    /// on another queue.
    public let parent: ManagedObjectContext?

    let home: ContextHome
    /// Where the context may be used; a child on its parent's queue has its parent's.
    let queue: ContextQueue
    let registry: ObjectRegistry
    let pending: PendingChanges
    let observation: ChangeObservation
    let reader: ContextReader
    /// How saves are made.
    var saving: SaveSettings
    /// Whether the context was reset for good because its container closed.
    private(set) var isClosed = false

    init(
        home: ContextHome,
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy,
        generation: Generation? = nil,
        source: (any ContextSource)? = nil,
        parent: ManagedObjectContext? = nil,
        executor: ContextExecutor? = nil
    ) {
        self.home = home
        self.name = name
        self.parent = parent
        queue = parent?.queue ?? ContextQueue(name: name, isMain: generation != nil, executor: executor)
        automaticallyMergesChangesFromParent = generation != nil
        registry = ObjectRegistry(rootCount: home.schema.rootCount)
        pending = PendingChanges(registry: registry)
        observation = ChangeObservation(isScheduled: generation != nil)
        reader = ContextReader(
            source: source ?? StoreSource(store: home.store, generation: generation),
            rowCache: home.pipeline.rowCache
        )
        saving = SaveSettings(author: author, mergePolicy: mergePolicy)
    }

    /// The container; nil when it is gone.
    public var container: PersistentContainer? { home.container }

    /// Whether this is the view context.
    var isMain: Bool { parent == nil && queue.isMain }

    package var schema: ObjectSchema { home.schema }
    package var store: Store { home.store }

    /// Where rows come from and where saves go.
    var source: any ContextSource { reader.source }

    /// The generation that a view context or a pinned one shows; others read what is newest.
    var generation: Generation? {
        get { source.generation }
        set { source.generation = newValue }
    }

    /// Grows with everything that changes what a child sees: edits, merges, saves, rollbacks, and those above.
    var stateVersion: UInt64 { pending.editCount &+ reader.shownVersion }

    /// What objects are related to, and how that changes.
    var relationships: RelationshipGraph { RelationshipGraph(context: self) }

    func kind(named name: String) throws(ContextError) -> ObjectKind {
        guard let kind = registry.kind(named: name, in: schema) else { throw ContextError.unknownEntity(name) }
        return kind
    }

    // MARK: Confinement

    /// In debug builds, stops the program when a client that the compiler does not check (Swift 5 mode,
    /// `@preconcurrency import`, `nonisolated(unsafe)`) uses the context off its actor or queue; in release builds it is
    /// nothing.
    @inline(__always)
    func checkConfinement(_ entry: StaticString = #function) {
        #if DEBUG
            queue.check("\(entry)")
        #endif
    }

    // MARK: Ending

    /// Forgets all objects for good, because the container has closed or nobody has the context any more; observers are
    /// let go, and with them what they hold.
    func close() {
        forgetAll()
        isClosed = true
        observation.removeAll()
    }

    /// Forgets all objects and all changes; the context stays where it is.
    func forgetAll() {
        undoStack?.removeAllActions()
        reader.invalidatePrefetched()
        pending.detachAll()
        reader.unreportedError = nil
        observation.discardPending()
        saving.request = nil
    }
}

/// Contexts stay on their queue or actor; the conformance is taken away for good.
@available(*, unavailable, message: "pass the BackgroundContext, or the container, instead")
extension ManagedObjectContext: @unchecked Sendable {}
