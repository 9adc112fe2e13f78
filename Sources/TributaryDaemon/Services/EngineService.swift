import Glibc
import Logging
import ServiceLifecycle
import Tributary
import TributaryAdmin
import TributaryMigration
import TributaryModel
import TributaryStore
import TributarySync

/// Opens the store, runs the synchronization, and at the end stops both in order.
struct EngineService: Service {
    let configuration: Configuration
    let model: Model
    let state: DaemonState
    let notifier: SystemdNotifier
    let shutdownBroadcast: ShutdownBroadcast
    let logger: Logger
    let result: StopResult

    func run() async throws {
        defer { shutdownBroadcast.send() }
        notifier.status("Opening the store")
        var migration = MigrationWatch(state: state, notifier: notifier, logger: logger).settings
        migration.allowsLoss = configuration.migration.allowsLoss
        let engine: Engine
        do {
            engine = try await ProgressTicker.run(notifier: notifier, hasProgress: ProcessActivity.probe()) {
                [migration] in
                try await Engine.open(configuration, model: model, migration: migration, logger: logger)
            }
        } catch let interruption as MigrationInterruption {
            // The store is unchanged, so there is nothing to stop.
            logger.notice("\(interruption)")
            try? await gracefulShutdown()
            return
        }
        // The loops must not see the group's shutdown: `stop()` below decides when they end.
        let loops = Task { try await engine.sync.run() }
        let purging = Task { await HistoryPurge(engine: engine, state: state, logger: logger).run() }
        let compaction = Task { await engine.compactor.run() }
        let updates = engine.container.storeUpdates()
        // The task ends with the engine, as the purge does.
        let merges = Task { for await update in updates { engine.sync.activity.merged(update.changes) } }
        defer {
            purging.cancel()
            compaction.cancel()
            merges.cancel()
        }
        // From here on clients can save, which needs the store but not the log folder.
        state.run(engine)
        await reportReadiness(of: engine)
        // The task ends with the engine, as the purge does.
        let initialImport = Task {
            await engine.waitForInitialImport()
            if !Task.isCancelled, state.phase == .running { notifier.status("Running") }
        }
        defer { initialImport.cancel() }
        try? await gracefulShutdown()
        purging.cancel()
        compaction.cancel()
        await EngineStop(
            engine: engine,
            loops: loops,
            state: state,
            notifier: notifier,
            logger: logger,
            compaction: compaction
        )
        .run(result: result)
    }

    /// Reports readiness as soon as the log folder is watched, or when it does not respond.
    private func reportReadiness(of engine: Engine) async {
        let isWatching = await withGracefulShutdownHandler {
            await engine.sync.started(patience: SyncService.folderPatience)
        } onGracefulShutdown: {
            engine.sync.stop()
        }
        guard state.phase != .stopping else { return }
        if !isWatching {
            logger.error("The log folder does not answer", metadata: ["logs": "\(configuration.logs)"])
        }
        notifier.ready(
            !isWatching
                ? "Running; the log folder does not answer"
                : engine.sync.isInitialImportComplete ? "Running" : "Running; the first import is not complete yet"
        )
        logger.notice(
            "Running",
            metadata: [
                "store": "\(configuration.store)", "logs": "\(configuration.logs)", "writer": "\(engine.writer)",
            ]
        )
    }
}
