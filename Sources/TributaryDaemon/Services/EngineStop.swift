import Glibc
import Logging
import Tributary
import TributaryAdmin
import TributarySync

/// The end of the engine: import, saves, merge, export, checkpoint; bounded by `shutdown.timeout`.
struct EngineStop {
    let engine: Engine
    let loops: Task<Void, any Error>
    let state: DaemonState
    let notifier: SystemdNotifier
    let logger: Logger

    /// How long the end may take after the timeout, when the import has been told to roll back.
    private static let grace = Duration.seconds(3)

    func run(outcome: StopOutcome, farewell: Farewell) async {
        let timeout = state.configuration.duration(.shutdownTimeout)
        let deadline = Task {
            try await Task.sleep(for: timeout)
            logger.error("The stop takes longer than shutdown.timeout: the import is rolled back")
            engine.sync.abort()
            try await Task.sleep(for: Self.grace)
            leave(farewell)
        }
        let progress = engine.sync.control
        let mayExport = await ProgressTicker.run(notifier: notifier, hasProgress: Self.probe(progress)) {
            await stop()
        }
        deadline.cancel()
        if !mayExport { outcome.value = .tryAgain }
    }

    /// True when everything that was saved is committed.
    private func stop() async -> Bool {
        notifier.status("Stopping: the import")
        engine.sync.stop()
        _ = await loops.result
        notifier.status("Stopping: pending saves")
        await engine.container.pipeline.pending.waitForNone()
        await engine.container.mergePendingChanges()
        notifier.status("Stopping: the export")
        do {
            try await engine.sync.exportNow()
        } catch {
            logger.warning("The last export failed; the next start does it", metadata: ["error": "\(error)"])
        }
        notifier.status("Stopping: the store")
        do {
            try await engine.container.close()
        } catch {
            logger.error("Closing the store failed", metadata: ["error": "\(error)"])
        }
        return true
    }

    /// Ends the process when the orderly way is stuck: what is committed is safe, and an export goes on at the next start.
    private func leave(_ farewell: Farewell) {
        let isSaved = engine.container.pendingSaves == 0
        logger.critical("The stop is stuck", metadata: ["pendingSaves": "\(engine.container.pendingSaves)"])
        farewell.say()
        exit(isSaved ? ExitStatus.done.rawValue : ExitStatus.tryAgain.rawValue)
    }

    private static func probe(_ control: ImportControl) -> @Sendable () -> UInt64 {
        let process = ProcessActivity.probe()
        return { control.progress &+ process() }
    }
}
