import Synchronization
import TributaryChanges
import TributaryModel
package import TributaryStore

/// A set of managed objects with unsaved changes, bound to one queue or actor.
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
/// All functions are synchronous. The context holds its objects weakly as long as they have no changes; objects hold
/// their context strongly.
public final class ManagedObjectContext {
    /// The context name that history has for each transaction.
    public let name: String?
    /// The author of the changes; history has it, and the transaction carries it to other machines.
    public var author: String?
    /// How a save resolves conflicts with objects that were changed in the store meanwhile.
    public var mergePolicy: MergePolicy
    /// Returns the policy for a single conflict; a nil closure leaves it to ``mergePolicy``.
    ///
    /// It is called inside the save, once for each object in conflict, and may read and change the live object: values
    /// that it sets are written with `objectTrump` or `overwrite`. It may change other objects too: the save validates
    /// and writes them as well, whether they had changes before or not. When it throws, the save throws the error.
    ///
    /// The write lock is held while it runs. A save in it, of this or another context, throws
    /// ``ContextError/saveInProgress(by:)``. Rolling back, resetting or refreshing objects of the save makes the save
    /// throw.
    public var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)?
    /// Whether the context merges the saves of others automatically.
    ///
    /// A background context does so at the start of each `perform`, never inside one; it is false there by default. On
    /// the view context it controls the timer, and is true by default: when it is false, only
    /// ``PersistentContainer/mergePendingChanges()``, a save and ``reset()`` move the context.
    public var automaticallyMergesChangesFromParent: Bool {
        didSet { if isMain { home.pipeline.pendingNotifications.setAutomatic(automaticallyMergesChangesFromParent) } }
    }
    /// Whether the context holds all its objects strongly, and not only the objects with changes.
    public var retainsRegisteredObjects: Bool {
        get { registry.isRetaining }
        set { registry.retain(newValue) }
    }
    /// The transaction of the last save, for ``PersistentContainer/mergePendingChanges(through:)``.
    public internal(set) var lastSaveToken: HistoryToken?

    /// The changes that can be undone; nil when nothing is recorded, as on a background context by default.
    public var undoStack: UndoStack? {
        didSet {
            undoStack?.context = self
            pending.followWrites(forUndo: undoStack != nil)
        }
    }

    /// The context that created this context with `newChild`.
    ///
    /// It is nil when the rows come from the store or from a context on another queue.
    public let parent: ManagedObjectContext?

    let children = ChildContexts()
    let home: ContextHome
    let queue: ContextQueue
    let registry: ObjectRegistry
    let pending: PendingChanges
    let observation: ChangeObservation
    let reader: ContextReader
    var saving = SaveState()
    private(set) var isClosed = false

    init(
        home: ContextHome,
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy,
        generation: Generation? = nil,
        above: (any ContextParent)? = nil,
        parent: ManagedObjectContext? = nil,
        executor: ContextExecutor? = nil
    ) {
        self.home = home
        self.name = name
        self.author = author
        self.mergePolicy = mergePolicy
        self.parent = parent
        queue = parent?.queue ?? ContextQueue(name: name, isMain: generation != nil, executor: executor)
        automaticallyMergesChangesFromParent = generation != nil
        registry = ObjectRegistry(rootCount: home.schema.rootCount)
        pending = PendingChanges(registry: registry)
        observation = ChangeObservation(isScheduled: generation != nil)
        reader = ContextReader(
            parent: above ?? parent,
            store: home.store,
            generation: generation,
            rowCache: home.pipeline.rowCache
        )
    }

    deinit { parent?.children.remove(self) }

    /// The container; nil when it is gone.
    public var container: PersistentContainer? { home.container }

    var isMain: Bool { parent == nil && queue.isMain }

    package var schema: ObjectSchema { home.schema }
    package var store: Store { home.store }

    var above: (any ContextParent)? { reader.parent }

    var generation: Generation? {
        get { reader.generation }
        set { reader.generation = newValue }
    }

    var stateVersion: UInt64 { pending.editCount &+ reader.shownVersion }

    var relationships: RelationshipGraph { RelationshipGraph(context: self) }

    func descriptor(named name: String) throws(ContextError) -> EntityDescriptor {
        guard let descriptor = registry.descriptor(named: name, in: schema) else {
            throw ContextError.unknownEntity(name)
        }
        return descriptor
    }

    /// The compiler does not find this in Swift 5 mode, nor with `@preconcurrency import` or `nonisolated(unsafe)`.
    @inline(__always)
    func checkConfinement(_ entry: StaticString = #function) {
        #if DEBUG
            queue.check("\(entry)")
        #endif
    }

    /// Children on its queue are closed only with `withChildren`: a program may still want their changes.
    func close(withChildren: Bool = false) {
        if withChildren { for child in children.all { child.close(withChildren: true) } }
        forgetAll()
        isClosed = true
        observation.removeAll()
    }

    func forgetAll() {
        undoStack?.removeAllActions()
        reader.invalidatePrefetched()
        pending.detachAll()
        reader.unreportedError = nil
        observation.discardPending()
        saving.request = nil
    }
}

/// The children are not retained; weak references would slow down their use: see ``LiveObjectTable``.
final class ChildContexts: Sendable {
    private let addresses = Mutex<Set<UInt>>([])

    func insert(_ child: ManagedObjectContext) { addresses.withLock { _ = $0.insert(Self.address(of: child)) } }

    func remove(_ child: ManagedObjectContext) { addresses.withLock { _ = $0.remove(Self.address(of: child)) } }

    var all: [ManagedObjectContext] {
        let retained = addresses.withLock { $0.compactMap(LiveObjectTable.retain) }
        return retained.compactMap { address in
            UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
        }
    }

    private static func address(of child: ManagedObjectContext) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(child).toOpaque())
    }
}

@available(*, unavailable, message: "pass the BackgroundContext, or the container, instead")
extension ManagedObjectContext: @unchecked Sendable {}
