package import Logging
import ServiceLifecycle
import Synchronization
import TributaryChanges
import TributaryStore

/// Keeps a store and its log folder in step: imports what others have written, exports what was written here.
///
/// One loop scans, verifies and applies; one loop exports. Both only look at what is there and what the store says, so
/// that a start, a lost event and a folder that was made anew are nothing special.
///
/// ```swift
/// let sync = try SyncService(replica: replica, configuration: SyncConfiguration(logs: "/srv/logs"), logger: logger)
/// let group = ServiceGroup(services: [sync], logger: logger)
/// ```
package final class SyncService: Service {
    package let replica: any LocalReplica
    /// Tells whether imports make progress.
    package let control = ImportControl()
    /// Tells whether exports make progress.
    package let exportWork = WorkMeter()
    let own: UniqueID
    let clock: SyncClock
    let logger: Logger
    let state: Mutex<SyncState>
    let importSignal = Signal()
    let exportSignal = Signal()
    /// Raised once, when the service stops: cuts the exporter's debounce short.
    let stopSignal = Signal()
    let events = SegmentEvents()
    let exportQueue = SerialQueue("tributary.export")
    let initialPacing: ExportPacing
    let deferralCache = DeferralCache()
    let lineSearch = LineSearch()
    let interruptExport: @Sendable (Exporter.Step) throws -> Void

    /// Reads from the store how far each writer is and whether importing was paused.
    package convenience init(
        replica: any LocalReplica,
        configuration: SyncConfiguration,
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) throws {
        try self.init(replica: replica, configuration: configuration, clock: clock, logger: logger) { _ in }
    }

    /// The same for tests that stop an export in the middle, or begin as if an export had just been made.
    init(
        replica: any LocalReplica,
        configuration: SyncConfiguration,
        clock: any Clock<Duration>,
        logger: Logger,
        pacing: ExportPacing = ExportPacing(),
        interruptExport: @escaping @Sendable (Exporter.Step) throws -> Void
    ) throws {
        self.replica = replica
        self.clock = SyncClock(clock, wall: replica.store.configuration.environment.wallMilliseconds)
        self.logger = logger
        initialPacing = pacing
        self.interruptExport = interruptExport
        let initial = try replica.store.read { try SyncState.load($0, configuration: configuration) }
        own = initial.planner.own
        state = Mutex(initial)
    }

    /// Runs until the service group shuts down gracefully, the task is cancelled or ``stop()`` is called.
    package func run() async throws {
        let mayRun = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .running
            return true
        }
        guard mayRun else { return end() }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                // Ends with the group: a commit is a hint that there may be something to export.
                group.addTask { await self.listen() }
                await withTaskGroup(of: Void.self) { loops in
                    loops.addTask(executorPreference: BlockingExecutor("tributary.import-loop")) {
                        var loop = ImportLoop(service: self)
                        await loop.run()
                    }
                    loops.addTask { await self.runExports() }
                }
                group.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
        end()
    }

    /// Ends gracefully: what is being imported is finished at the next transaction boundary, local changes are
    /// exported, `run()` returns.
    package func stop() {
        state.withLock { state in
            if state.phase == .idle || state.phase == .running { state.phase = .stopping }
        }
        for starter in takeStarters() { starter.resume() }
        control.give(.finish)
        importSignal.raise()
        exportSignal.raise()
        stopSignal.raise()
    }

    /// Rolls back what is being imported; for when a graceful end takes too long.
    package func abort() {
        stop()
        control.give(.abort)
    }

    /// Leaves loops that hang to themselves: whoever waits for them is told that the service does not run any more.
    package func abandon() {
        abort()
        end()
    }

    /// Returns when the folder is watched and has been looked at once, or the service stops.
    package func started() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard !state.isWatching, !state.isStopping else { return true }
                state.starters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// The same, but gives up when looking at the folder makes no step for `patience`.
    ///
    /// - Returns: Whether the folder is watched.
    @discardableResult
    package func started(patience: Duration) async -> Bool {
        // Not structured: what hangs is not waited for.
        let watch = Task {
            while (control.work.silence ?? .zero) < patience {
                try await Task.sleep(for: patience / 4)
            }
            for starter in takeStarters() { starter.resume() }
        }
        defer { watch.cancel() }
        await started()
        return state.withLock(\.isWatching)
    }

    private func takeStarters() -> [CheckedContinuation<Void, Never>] {
        state.withLock { state in
            defer { state.starters = [] }
            return state.starters
        }
    }

    /// New settings; the log folder itself stays the one that it was begun with.
    package func reconfigure(_ configuration: SyncConfiguration) {
        state.withLock { state in
            let logs = state.configuration.logs
            state.configuration = configuration
            state.configuration.logs = logs
            state.planner.limits = configuration.limits
        }
        importSignal.raise()
        exportSignal.raise()
    }

    var wall: UInt64 { clock.wall() }

    var configuration: SyncConfiguration { state.withLock(\.configuration) }

    private func end() {
        let (requests, starters) = state.withLock { state in
            state.phase = .ended
            defer { (state.requests, state.starters) = ([], []) }
            return (state.requests, state.starters)
        }
        for request in requests { request.resume(throwing: SyncError.notRunning) }
        for starter in starters { starter.resume() }
        events.finish()
    }

    private func listen() async {
        for await _ in replica.commitHints() { exportSignal.raise() }
    }
}
