import Logging
import Synchronization
import Tributary
import TributaryAdmin
import TributarySync

/// ``StopWatch`` limits the total time; work on a hanging log folder ends earlier, so that other steps can be done.
struct EngineStop {
    let engine: Engine
    let loops: Task<Void, any Error>
    let state: DaemonState
    let notifier: SystemdNotifier
    let logger: Logger
    var compaction: Task<Void, Never>?

    func run(result: StopResult) async {
        let isSafe = await ProgressTicker.run(notifier: notifier, hasProgress: Self.probe(engine.sync)) {
            await stop()
        }
        if !isSafe { result.value = .tryAgain }
    }

    func stop() async -> Bool {
        notifier.status("Stopping: the import")
        engine.sync.stop()
        let loops = loops
        if await finishing(Task { _ = await loops.result }) == nil {
            logger.error("The log folder does not answer: unfinished reads and writes are repeated at the next start")
            engine.sync.abandon()
        }
        notifier.status("Stopping: pending saves")
        await engine.container.pipeline.pending.waitForNone()
        await engine.container.mergePendingChanges()
        notifier.status("Stopping: the export")
        await export()
        await finishCompaction()
        engine.sync.activity.finish()
        notifier.status("Stopping: the store")
        do {
            try await engine.container.close()
            return true
        } catch {
            logger.error("Closing the store failed", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Waits until its files next to the store are removed, unless the folder does not respond.
    private func finishCompaction() async {
        guard let compaction else { return }
        let timeLimit = state.configuration.shutdown.timeLimit
        let deadline = ContinuousClock.now + timeLimit / 2
        _ = await HangingWork.result(of: compaction, lookingEvery: timeLimit / 4) { ContinuousClock.now >= deadline }
    }

    private func export() async {
        let sync = engine.sync
        let failure = await finishing(
            Task<String, Never> {
                do {
                    try await sync.exportNow()
                    return ""
                } catch {
                    return "\(error)"
                }
            }
        )
        guard failure?.isEmpty != true else { return }
        let reason = failure ?? "the log folder does not answer"
        logger.warning("The last export failed; the next start does it", metadata: ["error": "\(reason)"])
    }

    private func finishing<T: Sendable>(_ task: Task<T, Never>) async -> T? {
        let timeLimit = state.configuration.shutdown.timeLimit
        let works = [engine.sync.control.work, engine.sync.exportWork]
        return await HangingWork.result(of: task, lookingEvery: timeLimit / 4) {
            works.contains { ($0.silence ?? .zero) >= timeLimit }
        }
    }

    private static func probe(_ sync: SyncService) -> @Sendable () -> UInt64 {
        let process = ProcessActivity.probe()
        return { sync.control.progress &+ sync.exportWork.steps &+ process() }
    }
}

final class StopResult: Sendable {
    private let status = Mutex(ExitStatus.done)

    var value: ExitStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }
}

/// The schedule of a stop: one deadline for all steps, from the request to stop to the end of the process.
struct StopSchedule: Sendable, Equatable {
    enum Action: Equatable, Sendable {
        case wait(until: Duration)
        case rollBack
        case leave
    }

    var timeout = Duration.seconds(85)

    /// For saves behind a rolled-back import; the process ends before the unit's default `TimeoutStopSec=`.
    var grace: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(2)) }

    /// Work on the log folder without progress is abandoned after this time; connections have the same time to close.
    var timeLimit: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(5)) }

    func action(at elapsed: Duration, hasRolledBack: Bool) -> Action {
        if elapsed >= timeout + grace { return .leave }
        guard elapsed >= timeout else { return .wait(until: timeout) }
        return hasRolledBack ? .wait(until: timeout + grace) : .rollBack
    }
}
