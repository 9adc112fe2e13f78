import CLinux
@preconcurrency import Dispatch
import Glibc
package import Logging
import ServiceLifecycle
import Synchronization
import TransactionLog
package import TributaryChanges
import TributaryStore

// This folder contains the service: its state, which has a single owner, its problems and status, and the requests of
// an administrator.

/// Synchronizes a store with its log folder: imports foreign segments and exports local transactions.
///
/// Import and export read only the folder and the store, so a start, a lost event and a recreated folder need no special
/// code. A replica has at most one running service, because one task waits for its ``LocalReplica/commitSignal``.
package final class SyncService: Service {
    package let control: ImportControl
    let environment: SyncEnvironment
    let state: SyncStateOwner
    let signals: SyncSignals
    let events = Broadcast<SegmentStatus>(limit: 256)
    let initialImport = Broadcast<Never>(limit: 1)
    let deferrals: DeferralFinder
    let exports: ExportLoop

    package init(
        replica: any LocalReplica,
        configuration: SyncConfiguration,
        trust: StoreTrust = StoreTrust(),
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger,
        control: ImportControl = ImportControl(),
        exportWork: WorkMeter = WorkMeter(),
        pacing: ExportPacing = ExportPacing(),
        published: @escaping @Sendable (UniqueID) -> Void = { _ in },
        interruptExport: @escaping @Sendable (Exporter.Step) throws -> Void = { _ in }
    ) throws {
        self.control = control
        signals = SyncSignals(exports: replica.commitSignal)
        let store = replica.store
        let initial = try store.read { try SyncState($0, configuration: configuration) }
        trust.configure(configuration.trust)
        let clock = MonotonicClock(clock)
        environment = SyncEnvironment(
            replica: replica,
            trust: trust,
            clock: clock,
            logger: logger,
            activity: ActivityJournal(clock: clock, logger: logger),
            folderSize: FolderSize(path: configuration.logs),
            published: published
        )
        state = SyncStateOwner(initial)
        deferrals = DeferralFinder(store: store) { [state] () throws(SegmentError) in try state.configuration.openLogs()
        }
        exports = ExportLoop(
            environment: environment,
            state: state,
            signals: signals,
            pacing: pacing,
            work: exportWork,
            interrupt: interruptExport
        )
    }

    package var exportWork: WorkMeter { exports.work }

    package var folderSize: FolderSize { environment.folderSize }

    package var activity: ActivityJournal { environment.activity }

    package func run() async throws {
        guard state.update({ $0.lifecycle.begin() }) else { return end() }
        if encryption.current != nil { logKeys(encryption) }
        let clock = ClockWatcher { [weak self] in self?.clockWasSet() }
        defer { withExtendedLifetime(clock) {} }
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { loops in
                loops.addTask(executorPreference: BlockingExecutor("tributary.import-loop")) {
                    var loop = ImportLoop(self)
                    await loop.run()
                }
                loops.addTask { await self.exports.run() }
                loops.addTask { await self.activity.run() }
                // The import and the export end without cancellation; the journal needs it.
                for _ in 0..<2 { await loops.next() }
                loops.cancelAll()
            }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
        end()
    }

    func clockWasSet() {
        signals.imports.raise()
        signals.exports.raise()
    }

    /// Finishes the import in progress at the next transaction boundary, and exports local changes.
    package func stop() {
        state.stop()
        control.raise(to: .finish)
        signals.imports.raise()
        signals.exports.raise()
    }

    /// Rolls back the import in progress, when a graceful end takes too long.
    package func abort() {
        stop()
        control.raise(to: .abort)
    }

    /// Abandons loops that hang: requests fail with ``SyncError`` `notRunning`.
    package func abandon() {
        abort()
        end()
    }

    private func end() {
        state.end()
        events.finish()
    }

    /// Returns when the service watches the folder and has scanned it once, or when the service stops.
    package func started() async { await state.waitForFirstScan() }

    /// Also returns when reading the folder makes no progress for `patience`; the result is whether it is watched.
    @discardableResult
    package func started(patience: Duration) async -> Bool {
        // The task is not structured, so that nothing waits for work that hangs.
        let watch = Task {
            while (control.work.silence ?? .zero) < patience {
                try await Task.sleep(for: patience / 4)
            }
            state.resumeStarters()
        }
        defer { watch.cancel() }
        await started()
        return state.read(\.lifecycle.isWatching)
    }

    package var encryption: EncryptionKeys { state.read(\.configuration.encryption) }

    private func logKeys(_ keys: EncryptionKeys) {
        guard let current = keys.current else { return environment.logger.notice("published files are not encrypted") }
        let others = keys.keys.dropFirst().map(\.id).joined(separator: " ")
        environment.logger.notice(
            "published files are encrypted",
            metadata: ["key": "\(current.id)", "others": "\(others)", "required": "\(keys.isRequired)"]
        )
    }

    /// The path of the log folder does not change while the service runs.
    package func reconfigure(_ configuration: SyncConfiguration) {
        let former = state.read(\.configuration)
        state.update { $0.configure(configuration) }
        if configuration.trust != former.trust { environment.trust.configure(configuration.trust) }
        if configuration.encryption != former.encryption { logKeys(configuration.encryption) }
        if configuration.trust != former.trust || configuration.encryption != former.encryption { readAgain() }
        signals.imports.raise()
        signals.exports.raise()
    }
}

struct SyncEnvironment: Sendable {
    let replica: any LocalReplica
    let trust: StoreTrust
    let clock: MonotonicClock
    let logger: Logger
    let activity: ActivityJournal
    let folderSize: FolderSize
    /// Called after a file of a writer was published or removed; it must not block.
    let published: @Sendable (UniqueID) -> Void

    var store: Store { replica.store }

    var wall: WallTime { store.configuration.environment.wallTime() }
}

struct SyncSignals: Sendable {
    let imports = Signal()
    /// The replica raises it after each local commit; new settings and the stop also raise it, to end the debounce.
    let exports: Signal
    let baselines = Signal()
}

/// Runs a task on its own thread: reading a folder on a mount that hangs must not block other tasks.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ name: String) {
        queue = DispatchQueue(label: name)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs blocking work serially, outside the few threads that tasks share.
package struct SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// Work in the background has the lowest priority; it must not take the write lock, because others would wait.
    package init(_ name: String, inBackground: Bool = false) {
        queue = DispatchQueue(label: name, qos: inBackground ? .background : .default)
    }

    package func run<T: Sendable, E: Error>(_ block: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: block)) }
        }
        return try result.get()
    }
}

package enum HangingWork {
    /// Returns the result of `task`, or nil when `isLost` returns true before the task ends; the task always continues.
    package static func result<T: Sendable>(
        of task: Task<T, Never>,
        lookingEvery interval: Duration,
        isLost: @escaping @Sendable () -> Bool
    ) async -> T? {
        let (stream, continuation) = AsyncStream<T?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // The tasks are unstructured: a group would wait for the task that hangs.
        Task { continuation.yield(await task.value) }
        let watch = Task {
            while !isLost() { try await Task.sleep(for: interval) }
            continuation.yield(nil)
        }
        defer { watch.cancel() }
        for await result in stream { return result }
        return nil
    }
}

/// Reports when somebody sets the wall clock, so that held segments are checked again at once.
private final class ClockWatcher: Sendable {
    private let source: any DispatchSourceRead

    /// Nil when the system cannot watch the clock; the next full scan then finds the change.
    init?(report: @escaping @Sendable () -> Void) {
        let descriptor = clinux_watch_clock()
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "tributary.clock")
        )
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { if clinux_clock_was_set(descriptor) != 0 { report() } }
        source.activate()
    }

    deinit { source.cancel() }
}
