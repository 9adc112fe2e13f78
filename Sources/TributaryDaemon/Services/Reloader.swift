import Logging
import TributaryAdmin
import TributaryChanges
import TributarySync

/// Reloads the configuration, one reload at a time; the old configuration stays in force when the new one is not valid.
actor Reloader {
    private let daemon: Daemon
    /// The configuration at the start, whose values are in force for keys that need a restart.
    private let initial: Configuration
    private let state: DaemonState
    private let notifier: SystemdNotifier

    init(daemon: Daemon, initial: Configuration, state: DaemonState, notifier: SystemdNotifier) {
        self.daemon = daemon
        self.initial = initial
        self.state = state
        self.notifier = notifier
    }

    func reload() throws -> ReloadMessage {
        let (sources, logger) = (daemon.sources, daemon.logger)
        notifier.reloading()
        defer { notifier.ready(state.engine == nil ? "Starting" : "Running") }
        do {
            var new = try Configuration.load(sources)
            _ = try new.checkPaths(inheritsSocket: sources.inheritsSocket)
            try new.readEncryptionKeys()
            new.lookUpGroups()
            var changed = new.differences(from: state.configuration).filter { !$0.needsRestart }.map(\.name)
            // Its content counts, too.
            let keyFile = "encryption.key_file"
            if new.sync.encryption.keys != state.configuration.sync.encryption.keys, !changed.contains(keyFile) {
                changed.append(keyFile)
            }
            let restart = new.differences(from: initial).filter(\.needsRestart).map(\.name)
            state.reconfigure(new, restartNeeded: restart)
            let waiting = state.restartNeeded
            if state.modelHasChanged { logger.notice("The model's file has changed: a restart takes it over") }
            daemon.logLevel.value = new.logLevel
            state.engine?.reconfigure(new)
            logger.notice("Configuration reloaded", metadata: ["changed": "\(changed)"])
            return ReloadMessage(changed: changed, restartNeeded: waiting)
        } catch {
            logger.error("The new configuration is bad, the old one stays", metadata: ["error": "\(error)"])
            throw error
        }
    }
}
