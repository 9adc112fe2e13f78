import Glibc
import Logging
import ServiceLifecycle
import Tributary
import TributaryAdmin
import TributaryModel
import TributaryStore
import TributarySync

/// Opens the store, keeps it in step with the folder, and at the end brings everything to rest in order.
struct EngineService: Service {
    let configuration: Configuration
    let model: Model
    let state: DaemonState
    let notifier: SystemdNotifier
    let farewell: Farewell
    let logger: Logger
    let outcome: StopOutcome

    func run() async throws {
        defer { farewell.say() }
        notifier.status("Opening the store")
        var migration = MigrationWatch(state: state, notifier: notifier, logger: logger).settings
        migration.allowsLoss = configuration.isOn(.migrationAllowLoss)
        let engine: Engine
        do {
            engine = try await ProgressTicker.run(notifier: notifier, hasProgress: ProcessActivity.probe()) {
                [migration] in
                try await Engine.open(configuration, model: model, migration: migration, logger: logger)
            }
        } catch let interruption as MigrationInterruption {
            // The store is as it was: nothing is left to stop.
            logger.notice("\(interruption)")
            try? await gracefulShutdown()
            return
        }
        // Our own stop below decides when the folder's loops end, so they must not see the group's.
        let loops = Task { try await engine.sync.run() }
        let purging = Task { await HistoryPurge(engine: engine, state: state, logger: logger).run() }
        let updates = engine.container.storeUpdates()
        // Ends with the engine, as purging does.
        let merges = Task { await MergeLog(updates: updates, logger: logger).run() }
        defer {
            purging.cancel()
            merges.cancel()
        }
        // Whoever saves needs the store and not the folder.
        state.run(engine)
        await begin(engine)
        try? await gracefulShutdown()
        purging.cancel()
        await EngineStop(engine: engine, loops: loops, state: state, notifier: notifier, logger: logger)
            .run(outcome: outcome)
    }

    /// Tells that the service is up: when the folder is watched, or does not answer.
    private func begin(_ engine: Engine) async {
        let isWatching = await withGracefulShutdownHandler {
            await engine.sync.started(patience: SyncService.folderPatience)
        } onGracefulShutdown: {
            engine.sync.stop()
        }
        guard state.phase != .stopping else { return }
        if !isWatching {
            logger.error("The log folder does not answer", metadata: ["logs": "\(configuration.logs)"])
        }
        notifier.ready(isWatching ? "Running" : "Running; the log folder does not answer")
        logger.notice(
            "Running",
            metadata: [
                "store": "\(configuration.store)", "logs": "\(configuration.logs)", "writer": "\(engine.writer)",
            ]
        )
    }
}
