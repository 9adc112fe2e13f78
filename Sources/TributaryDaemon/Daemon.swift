import Foundation
import Glibc
import Logging
import ServiceLifecycle
import TributaryAdmin
import TributaryModel
import TributaryStore
import UnixSignals

struct Daemon: Sendable {
    private typealias Member = ServiceGroupConfiguration.ServiceConfiguration

    let sources: ConfigurationSources
    let logLevel: LogLevelSetting
    let logger: Logger

    /// As the user of the unit, if root asks; a given model is root's own file, and not a file of the service.
    func checkConfiguration() throws -> [String] {
        let service = sources.meaningService
        let unit = service.unit
        if service.flags["--model"] == nil { try unit?.assumeUser() }
        let examined = Daemon(sources: service.examined(as: unit), logLevel: logLevel, logger: logger)
        var configuration = try Configuration.load(examined.sources)
        let notes = try examined.forecast(configuration)
        try configuration.readEncryptionKeys()
        configuration.lookUpGroups()
        let idle = configuration.settingsWithoutEffect(hasNetwork: unit?.hasNetwork ?? true, unit: unit?.name ?? "")
        let user = unit.map { " (as user \(Doctor.userName), of \($0.name))" } ?? ""
        return ["the configuration is good" + (configuration.file.map { ": \($0)" } ?? "") + user]
            + configuration.unreadFiles.map { "notice: \(Configuration.textOfUnread($0))" }
            + idle.map { "notice: \($0.detail)" } + notes
    }

    /// Returns lines on the effects of a start on the store.
    func forecast(_ configuration: Configuration) throws -> [String] {
        let model = try checkedModel(configuration)
        let notices = model.circleNotices.map { "notice: \($0)" }
        guard FileManager.default.fileExists(atPath: configuration.store) else {
            return notices + ["the store '\(configuration.store)' does not exist yet"]
        }
        let migrator = Migrator(configuration.migration)
        let store = StoreConfiguration(path: configuration.store, name: configuration.name, model: model)
        let forecast = try StartFailure.naming(configuration.store) { try migrator.forecast(store) }
        guard let (plan, losses) = forecast else {
            return notices + ["the store '\(store.path)' is at this version of the model"]
        }
        var lines =
            notices + [
                "the start migrates the store '\(store.path)' from model version '\(plan.from)' to '\(plan.to)':"
            ]
        lines += plan.changes.map { "  \($0)" }
        if !losses.isEmpty { lines += ["these values are lost:"] + losses.map { "  \($0)" } }
        return lines
    }

    func run() async throws -> ExitStatus {
        // The group may read and write the files that the daemon creates, other users may not.
        umask(0o007)
        var configuration: Configuration
        do {
            configuration = try Configuration.load(sources)
        } catch {
            if let store = Configuration.store(of: sources) { record(error, try? StoreLock.acquire(store: store)) }
            throw error
        }
        logLevel.value = configuration.logLevel
        for file in configuration.unreadFiles {
            logger.warning("A file of the configuration is not read because of its name", metadata: ["file": "\(file)"])
        }
        let modelFile = ModelFileWatch(path: configuration.model)
        var lock: StoreLock?
        do {
            let model = try checkedModel(configuration)
            try configuration.readEncryptionKeys()
            configuration.lookUpGroups()
            for notice in model.ownNotices { logger.info("model: \(notice)") }
            try configuration.createFolders(inheritsSocket: sources.inheritsSocket)
            let taken = try StoreLock.acquire(store: configuration.store)
            lock = taken
            try StoreRecord(sources).demand(configuration)
            return try await run(configuration, model: model, modelFile: modelFile, lock: taken)
        } catch {
            record(error, lock ?? (try? StoreLock.acquire(store: configuration.store)))
            throw error
        }
    }

    private func checkedModel(_ configuration: Configuration) throws -> Model {
        let model = try configuration.checkPaths(inheritsSocket: sources.inheritsSocket)
        model.earlier.warn(logger)
        return model
    }

    private func record(_ failure: any Error, _ lock: StoreLock?) {
        lock?.record(StoreLock.Failure(time: Date().timeIntervalSince1970, reason: "\(failure)"))
    }

    private func run(
        _ configuration: Configuration,
        model: Model,
        modelFile: ModelFileWatch,
        lock: StoreLock
    ) async throws -> ExitStatus {
        ScratchFolder.removeAll(besideStore: configuration.store)
        let socket = try AdminSocket.open(path: configuration.admin.socket)

        let state = DaemonState(configuration: configuration, modelFile: modelFile, failureBefore: lock.lastFailure)
        let notifier = SystemdNotifier(environment: sources.environment)
        let shutdownBroadcast = ShutdownBroadcast()
        let watch = StopWatch(state: state, socket: socket, shutdownBroadcast: shutdownBroadcast, logger: logger)
        let stopRequest = ShutdownBroadcast { watch.start() }
        let result = StopResult()

        let reloader = Reloader(daemon: self, initial: configuration, state: state, notifier: notifier)
        watchSignals(reloader, stopRequest)
        let admin = AdminServices(
            state: state,
            logger: logger,
            logLevel: logLevel,
            shutdownBroadcast: shutdownBroadcast,
            reload: { try await reloader.reload() },
            shutdown: { stopRequest.send() }
        )
        let engine = EngineService(
            configuration: configuration,
            model: model,
            state: state,
            notifier: notifier,
            shutdownBroadcast: shutdownBroadcast,
            record: StoreRecord(sources),
            logger: logger,
            result: result
        )
        let servers = servers(for: configuration, socket, admin)
        let watchdog = WatchdogService(state: state, notifier: notifier)
        let gate = GateService(stopRequest: stopRequest, state: state, notifier: notifier, logger: logger)

        // Services stop in reverse order: first new requests are refused, then the engine stops, then connections are
        // closed.
        let services =
            [Member(service: watchdog)] + servers.map { Member(service: $0) } + [
                Member(service: engine),
                Member(service: gate, successTerminationBehavior: .gracefullyShutdownGroup),
            ]
        try await ServiceGroup(configuration: .init(services: services, logger: quiet(logger))).run()
        logger.notice("Stopped", metadata: ["status": "\(result.value.rawValue)"])
        return result.value
    }

    private func servers(
        for configuration: Configuration,
        _ socket: AdminSocket,
        _ daemon: AdminServices
    ) -> [AdminServer] {
        let responder = AdminResponder(routes: RouteTable.routes, daemon: daemon)
        var servers = [
            AdminServer(
                address: .socket(socket),
                respond: responder.respond(to:channel:),
                drain: { daemon.state.configuration.shutdown.timeLimit },
                logger: logger
            )
        ]
        for problem in configuration.ownSettingsWithoutEffect {
            logger.warning("\(problem.detail)", metadata: ["hint": "\(problem.hint ?? "")"])
        }
        if let address = configuration.admin.listen, Configuration.hasNetwork {
            let page = StatusPage(address: address, daemon: daemon)
            servers.append(
                AdminServer(
                    address: .loopback(address),
                    respond: { request, _ in await page.respond(to: request) },
                    drain: { .zero },
                    logger: logger
                )
            )
        }
        return servers
    }

    /// Until the process ends, so that a second signal does not end it; on a terminal, SIGHUP reports the terminal's end.
    private func watchSignals(_ reloader: Reloader, _ stopRequest: ShutdownBroadcast) {
        signal(SIGPIPE, SIG_IGN)
        let isOnTerminal = isatty(STDERR_FILENO) == 1
        // The task is unstructured, because it ends with the process.
        Task {
            for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
                if signal == .sighup, !isOnTerminal {
                    // The reload writes its result to the journal.
                    _ = try? await reloader.reload()
                } else {
                    stopRequest.send()
                }
            }
        }
    }

    /// The service group's own entries describe its internals.
    private func quiet(_ logger: Logger) -> Logger {
        var quiet = logger.forLibraries
        quiet[metadataKey: "part"] = "services"
        return quiet
    }
}
