import Logging
import TributaryAdmin
import TributarySync

/// Reads the configuration again; one reload at a time, and the old configuration stays when the new one is bad.
actor Reloader {
    private let sources: ConfigurationSources
    /// What the daemon was started with: the values that only a restart changes.
    private let initial: Configuration
    private let state: DaemonState
    private let notifier: SystemdNotifier
    private let logLevel: LogLevelSetting
    private let logger: Logger
    private let inheritsSocket: Bool

    init(
        sources: ConfigurationSources,
        initial: Configuration,
        state: DaemonState,
        notifier: SystemdNotifier,
        logLevel: LogLevelSetting,
        logger: Logger,
        inheritsSocket: Bool
    ) {
        self.sources = sources
        self.initial = initial
        self.state = state
        self.notifier = notifier
        self.logLevel = logLevel
        self.logger = logger
        self.inheritsSocket = inheritsSocket
    }

    /// - Throws: ``ConfigurationError``.
    func reload() throws -> ReloadMessage {
        notifier.reloading()
        defer { notifier.ready(state.engine == nil ? "Starting" : "Running") }
        do {
            let new = try Configuration.load(sources)
            _ = try new.checkPlaces(inheritsSocket: inheritsSocket)
            let changed = new.differences(from: state.configuration).filter { !$0.needsRestart }
            let restart = new.differences(from: initial).filter(\.needsRestart)
            state.reconfigure(new, restartNeeded: restart)
            let waiting = state.restartNeeded
            if state.modelHasChanged { logger.notice("The model's file has changed: a restart takes it over") }
            logLevel.value = new.logLevel
            state.engine?.reconfigure(new)
            logger.notice("Configuration reloaded", metadata: ["changed": "\(changed.map(\.rawValue))"])
            return ReloadMessage(changed: changed.map(\.rawValue), restartNeeded: waiting.map(\.rawValue))
        } catch {
            logger.error("The new configuration is bad, the old one stays", metadata: ["error": "\(error)"])
            throw error
        }
    }
}
