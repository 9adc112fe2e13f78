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
    /// The name that history tells with each transaction.
    public let name: String?
    /// Who makes the changes; goes to the history and, with the transaction, to other machines.
    public var author: String?
    /// What a save does about objects that were changed in the store meanwhile.
    public var mergePolicy: MergePolicy
    /// Decides for one conflict which policy applies to the object; nil leaves it to ``mergePolicy``.
    ///
    /// It is called inside the save, once for each object in conflict, and may read and change the live object: what it
    /// sets is written with `objectTrump` or `overwrite`. It may change other objects too: the save validates and writes
    /// them as well, whether they had changes before or not. When it throws, the save does. The write lock is held while it
    /// runs: a save in it, of this context or another one, throws ``ContextError/saveInProgress(by:)``, and rolling back,
    /// resetting or refreshing what is being saved makes the save throw.
    public var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)?
    /// Whether the context takes over what others have saved by itself.
    ///
    /// A background context does so at the start of each `perform`, never inside one; it is false there by default. On
    /// the view context it stands for the timer, and is true by default: when it is false, only
    /// ``PersistentContainer/mergePendingChanges()``, a save and ``reset()`` move the context.
    public var automaticallyMergesChangesFromParent: Bool {
        didSet { if isMain { home.pipeline.mailbox.setAutomatic(automaticallyMergesChangesFromParent) } }
    }
    /// Whether the context holds all its objects, and not only those with changes.
    public var retainsRegisteredObjects = false {
        didSet { registry.retain(retainsRegisteredObjects) }
    }
    /// The transaction of the last save in this context; ``PersistentContainer/mergePendingChanges(through:)`` takes it.
    public internal(set) var lastSaveToken: HistoryToken?

    /// What can be taken back; nil when nothing is recorded, as on a background context by default.
    public var undoStack: UndoStack? {
        didSet {
            undoStack?.context = self
            pending.followWrites(forUndo: undoStack != nil)
        }
    }

    // What is unchecked below are plain numbers and flags, asked for or counted with each change of a value: no access to
    // one lasts longer than the instruction that makes it, so none can overlap.

    /// Whether a job that processes the pending changes is on its way to the main actor.
    @exclusivity(unchecked) var isProcessingScheduled = false
    /// Counts the groups of changes that were processed.
    @exclusivity(unchecked) var event: UInt64 = 1

    let home: ContextHome
    package var schema: ObjectSchema { home.schema }
    package var store: Store { home.store }
    /// Where rows come from and where saves go.
    let source: any ContextSource
    /// The generation that a view context or a pinned one shows; others read what is newest.
    var generation: Generation? {
        get { source.generation }
        set { source.generation = newValue }
    }
    /// Whether this is the view context.
    let isMain: Bool
    /// Grows when something other than an edit changes what a child sees.
    var passCount: UInt64 = 0
    /// The version of the source that the objects in use are in step with.
    var caughtUpVersion: UInt64 = 0
    /// Whether the context was reset for good because its container closed.
    var isClosed = false
    /// The newest transaction that the objects of a background context have taken over.
    var mergedThrough: Int64 = 0

    let registry: ObjectRegistry
    /// The entity that was used last; many uses of one follow each other.
    private var recentKind: ObjectKind?
    let pending: PendingChanges
    /// An error while reading that a getter could not throw; the next save does.
    var pendingReadError: ContextError?
    /// What was read ahead for this context alone.
    var rowsAtHand = RowsAtHand()
    let observers = ContextObservers()
    /// What the validation that calls a hook has checked itself; nil while none does.
    var validation: ValidationProgress?
    /// The queue of a background context.
    var executor: ContextExecutor?
    /// Makes the next save answer for a request; see ``apply(_:)``.
    var request: RequestTerms?

    init(
        home: ContextHome,
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy,
        generation: Generation? = nil,
        source: (any ContextSource)? = nil
    ) {
        self.home = home
        self.name = name
        self.author = author
        self.mergePolicy = mergePolicy
        self.source = source ?? StoreSource(store: home.store, generation: generation)
        isMain = generation != nil
        automaticallyMergesChangesFromParent = generation != nil
        registry = ObjectRegistry(rootCount: home.schema.rootCount)
        pending = PendingChanges(registry: registry)
    }

    /// The container; nil when it is gone.
    public var container: PersistentContainer? { home.container }

    // MARK: Reading

    /// Reads at the context's generation, or what is newest.
    func read<T>(_ body: (Reader) throws -> T) throws(ContextError) -> T {
        do {
            return try source.read(body)
        } catch {
            throw ContextError(error)
        }
    }

    /// Reads what a request asks.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` as it is when the request does not fit the model.
    func readResults<T>(_ body: (Reader) throws -> T) throws -> T {
        do {
            return try source.read(body)
        } catch let error as ObjectPredicateError {
            throw error
        } catch {
            throw ContextError(error)
        }
    }

    func kind(named name: String) throws(ContextError) -> ObjectKind {
        if let recentKind, recentKind.entity.name == name { return recentKind }
        guard let kind = schema.kind(named: name) else { throw ContextError.unknownEntity(name) }
        recentKind = kind
        return kind
    }

    func kind(of row: Row) -> ObjectKind? {
        if let recentKind, recentKind.entity === row.entity { return recentKind }
        guard let kind = schema.kind(named: row.entity.name) else { return nil }
        recentKind = kind
        return kind
    }
}

/// Contexts stay on their queue or actor; the conformance is taken away for good.
@available(*, unavailable, message: "pass the BackgroundContext, or the container, instead")
extension ManagedObjectContext: @unchecked Sendable {}
