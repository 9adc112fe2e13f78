// Merging: from the commit of a save or an import to the contexts that show it. The debouncer decides when the main
// context merges, and an operation merges the changes into the objects of a context.

import Synchronization
package import TributaryChanges
package import TributaryStore

/// Merges committed saves into the main context, which then saves its own changes and posts one update.
///
/// Saves of background contexts use ``announce(_:_:)`` under the write lock, imports ``importTransactions(_:)``, and
/// the main context ``commitMain(_:adopting:)``.
package final class MergePipeline: Sendable {
    package let store: Store
    package let pending = PendingBlocks()
    let pendingNotifications: PendingNotifications
    let rowCache: RowCache
    let updates = UpdateBroadcast()
    let activities = ActivityBoard()
    let failures = Broadcast<MainSaveFailure>(limit: 16)
    let commits = Signal()
    @MainActor private(set) weak var main: MainContext?
    /// The requests since the last import; the next import waits for them.
    private let requests = Mutex(PendingBlocks())
    private let state: Mutex<State>

    struct State {
        var generation: Generation
        var status = MergeStatus()
        var loop: Task<Void, Never>?
        var newestPosted: Int64
        var remoteWatch: RemoteWatch?
    }

    /// One connection for the main context, two for other reads.
    static let connections = 3

    init(store: Store, pendingNotifications: PendingNotifications) throws {
        self.store = store
        self.pendingNotifications = pendingNotifications
        let generation = try store.move(from: nil, connections: MergePipeline.connections)
        rowCache = RowCache(newest: generation.number)
        state = Mutex(State(generation: generation, newestPosted: generation.number))
        ExitDrain.add(self)
    }

    /// Call it once, before ``start()``; the pipeline does not keep the main context alive.
    @MainActor
    func attach(_ main: MainContext) {
        self.main = main
    }

    package func start() {
        // The task ends with `stop()`; it cannot be a child task, because the container is not a task.
        let loop = Task { [weak self, pendingNotifications] in
            await pendingNotifications.run { [weak self] in
                guard let self else { return true }
                return await self.mergeWhenDue(isAsked: false)
            }
        }
        let former = state.withLock { state in
            defer { state.loop = loop }
            return state.loop
        }
        former?.cancel()
        watchRemote()
    }

    func stop() {
        state.withLock { $0.loop }?.cancel()
    }

    deinit {
        state.withLock { $0.loop }?.cancel()
        state.withLock { $0.remoteWatch }?.stopSoon()
    }

    /// The next import waits until the block has ended.
    package func request<T>(_ block: () async throws -> T) async rethrows -> T {
        let pending = requests.withLock { pending in
            pending.begin()
            return pending
        }
        defer { pending.end() }
        return try await block()
    }

    func waitForRequests() async {
        let begun = requests.withLock { pending in
            defer { pending = PendingBlocks() }
            return pending
        }
        await begun.waitForNone()
    }

    package var generation: Generation { state.withLock { $0.generation } }

    var options: MergeOptions { pendingNotifications.options }

    package var status: MergeStatus {
        var status = state.withLock { $0.status }
        if let time = pendingNotifications.timeUntilMerge { status.nextMergeDue = wallTime.later(by: time) }
        return status
    }

    var wallTime: WallTime { store.configuration.environment.wallTime() }

    func update<T: Sendable>(_ block: (inout State) -> T) -> T { state.withLock { block(&$0) } }
}

@MainActor
final class MainContext {
    let context: ManagedObjectContext
    let storeName: String
    var collected: ObjectChanges
    var isCollecting = false
    /// The edit count when a save failed: the save is repeated only after further edits, which merges are not.
    var editsOfFailedSave: UInt64?

    init(home: ContextHome, generation: Generation) throws {
        context = ManagedObjectContext(home: home, name: "view", mergePolicy: .objectTrump, generation: generation)
        context.undoStack = UndoStack()
        storeName = try generation.read { try $0.history.name() }
        collected = ObjectChanges(limit: home.pipeline.options.pendingLimit)
    }

    /// Closes the store of a container that is released without being closed: contexts and objects may outlive it.
    isolated deinit {
        let pipeline = context.home.pipeline
        pipeline.stopWatchingRemote()
        pipeline.stop()
        pipeline.end(context, withChildren: true)
        try? pipeline.store.close()
    }

    /// False also when nothing has changed since the last failed save.
    var needsSave: Bool {
        (context.hasChanges || !context.pending.refusedWrites.isEmpty)
            && editsOfFailedSave != context.pending.editCount
    }

    func merge(_ step: MergePipeline.Step) {
        MergeOperation(context: context).merge(step.changes, movingTo: step.generation)
    }
}

package struct MergeStatus: Sendable, Hashable {
    package var lastMerge: WallTime?
    package var nextMergeDue: WallTime?
    package var failure: String?
    package var durations = DurationHistogram()
}
