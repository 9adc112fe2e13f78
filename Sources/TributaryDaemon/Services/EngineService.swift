import Glibc
import Logging
import ServiceLifecycle
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

// This folder contains the services of the process: they open the store, run the loops, reload settings, and stop in
// order.

struct EngineService: Service {
    let configuration: Configuration
    let model: Model
    let state: DaemonState
    let notifier: SystemdNotifier
    let shutdownBroadcast: ShutdownBroadcast
    let record: StoreRecord
    let logger: Logger
    let result: StopResult

    func run() async throws {
        defer { shutdownBroadcast.send() }
        notifier.status("Opening the store")
        let engine: Engine
        do {
            engine = try await ProgressTicker.run(notifier: notifier, hasProgress: ProcessActivity.probe()) {
                try await Engine.open(configuration, model: model, migration: migration, logger: logger)
            }
        } catch let interruption as MigrationInterruption {
            // The store is unchanged, so there is nothing to stop.
            logger.notice("\(interruption)")
            try? await gracefulShutdown()
            return
        }
        record.write(configuration.store)
        // The loops must not see the group's shutdown: `stop()` below decides when they end.
        let loops = Task { try await engine.sync.run() }
        let purging = Task { await purgeHistory(of: engine) }
        let compaction = Task { await engine.compactor.run() }
        // The last export of the stop is also announced, as far as Syncthing answers until then.
        let scans = Task { await engine.scans.run() }
        engine.scans.published(by: engine.sync.ownWriter)
        let watching = Task { await watchWriters(of: engine) }
        let disks = Task { await watchDisks(of: engine) }
        let updates = engine.container.storeUpdates()
        // The task ends with the engine, as the purge does.
        let merges = Task { for await update in updates { engine.sync.activity.merged(update.changes) } }
        defer {
            purging.cancel()
            compaction.cancel()
            watching.cancel()
            disks.cancel()
            merges.cancel()
            scans.cancel()
        }
        // From here clients can save, which needs the store but not the log folder.
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

    /// As soon as the log folder is watched, or when it does not respond.
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

extension EngineService {
    private func purgeHistory(of engine: Engine) async {
        while !Task.isCancelled {
            let age = Duration.seconds(state.configuration.historyAge.components.seconds)
            let start = engine.wallTime.earlier(by: age)
            do {
                try await engine.container.store.writeAsync { try $0.purgeHistory(committedBefore: start.unixSeconds) }
            } catch {
                logger.warning("Old history could not be removed", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(86_400), tolerance: .seconds(600))
        }
    }

    /// Logs stores that have fallen silent, every 5 minutes until the task is cancelled.
    private func watchWriters(of engine: Engine) async {
        while !Task.isCancelled {
            do {
                var writers: [WriterRecord] = []
                var isUpToDate = false
                while !isUpToDate, !Task.isCancelled {
                    (writers, isUpToDate) = try await engine.container.store.readAside { reader in
                        let writers = try reader.writers.all()
                        return (writers, try engine.writerWatch.learn(reader, writers, at: engine.wallTime))
                    }
                }
                let (begun, ended) = engine.writerWatch.changes(writers, at: engine.wallTime)
                for notice in begun {
                    logger.notice(
                        "a store is silent",
                        metadata: ["writer": "\(notice.writer?.description ?? "")", "reason": "\(notice.detail)"]
                    )
                }
                for store in ended { logger.info("a silent store writes again", metadata: ["store": "\(store)"]) }
            } catch {
                logger.debug("the usual pauses of the stores could not be read", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(300), tolerance: .seconds(30))
        }
    }

    /// Logs disks with little room, every 5 minutes until the task is cancelled.
    private func watchDisks(of engine: Engine) async {
        var low: Set<UInt64> = []
        while !Task.isCancelled {
            let limits = state.configuration.disk
            let volumes = await engine.disks.volumes()
            let found = volumes.compactMap { volume in volume.finding(limits).map { (volume.device, $0.problem) } }
            for (device, problem) in found where !low.contains(device) {
                logger.warning("a disk has little room", metadata: ["reason": "\(problem.detail)"])
            }
            let now = Set(found.map(\.0))
            for volume in volumes where low.contains(volume.device) && !now.contains(volume.device) {
                logger.notice("a disk has room again", metadata: ["free": "\(volume.free)"])
            }
            low = now
            try? await Task.sleep(for: .seconds(300), tolerance: .seconds(30))
        }
    }

    private var migration: MigrationSettings {
        var settings = configuration.migration
        settings.report = { report($0) }
        settings.shouldStop = { [state] in state.phase == .stopping }
        return settings
    }

    private func report(_ progress: MigrationProgress) {
        let isBeginning = state.phase == .starting
        for loss in progress.losses {
            let words = isBeginning ? "The migration drops values" : "The migration has dropped values"
            logger.warning("\(words)", metadata: ["what": "\(loss)"])
        }
        if isBeginning {
            state.migrate()
            logger.notice("Migrating the store", metadata: ["from": "\(progress.from)", "to": "\(progress.to)"])
        }
        let objects = progress.entity.map { ": \($0), \(progress.done) of \(progress.total) objects" } ?? ""
        notifier.status("Migrating the store from model version '\(progress.from)' to '\(progress.to)'\(objects)")
        notifier.extendTimeout(by: ProgressTicker.grant)
    }
}

/// Extends the service manager's timeout during a long start or stop, as long as there is progress.
enum ProgressTicker {
    private static let interval = Duration.seconds(10)
    static let grant = Duration.seconds(30)

    static func run<T>(
        notifier: SystemdNotifier,
        hasProgress: @escaping @Sendable () -> UInt64,
        _ body: () async throws -> T
    ) async rethrows -> T {
        let ticker = Task {
            var last = hasProgress()
            while true {
                try await Task.sleep(for: interval)
                let now = hasProgress()
                if now != last { notifier.extendTimeout(by: grant) }
                last = now
            }
        }
        defer { ticker.cancel() }
        return try await body()
    }
}

/// The processor time and disk use of the process, which grow while it works and stay constant while it hangs.
enum ProcessActivity {
    static func probe() -> @Sendable () -> UInt64 {
        {
            // Processor time is read as one number: the fields of `timeval` belong to the C module that is imported
            // first, which differs between static and dynamic builds.
            let tenths = max(0, clock()) / (CLOCKS_PER_SEC / 10)
            var usage = rusage()
            getrusage(RUSAGE_SELF.rawValue, &usage)
            return UInt64(tenths) &+ UInt64(max(0, usage.ru_oublock)) &+ UInt64(max(0, usage.ru_inblock))
        }
    }
}
