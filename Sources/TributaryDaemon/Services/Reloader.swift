import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributarySync

/// An invalid new configuration does not replace the old configuration.
actor Reloader {
    private let daemon: Daemon
    /// The configuration at the start; keys that need a restart still have its values.
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
            let former = state.configuration.sync.encryption.keys.map(\.id)
            let lacking = Set(former).subtracting(new.sync.encryption.keys.map(\.id))
            let unread = new.unreadFiles.filter { !state.configuration.unreadFiles.contains($0) }
            let warnings =
                unread.map { Configuration.textOfUnread($0) + "." }
                + (lacking.isEmpty ? [] : Self.warnings(ofLacking: lacking, in: new.logs))
            var changed = new.differences(from: state.configuration).filter { !$0.needsRestart }.map(\.name)
            // A change of the file's content is also a change.
            let keyFile = "encryption.key_file"
            if new.sync.encryption.keys != state.configuration.sync.encryption.keys, !changed.contains(keyFile) {
                changed.append(keyFile)
            }
            let restart = new.differences(from: initial).filter(\.needsRestart).map(\.name)
            state.reconfigure(new, restartNeeded: restart)
            let waiting = state.restartNeeded
            if state.modelHasChanged {
                logger.notice("The model's file has changed; it takes effect at the next restart")
            }
            daemon.logLevel.value = new.logLevel
            state.engine?.reconfigure(new)
            logger.notice("Configuration reloaded", metadata: ["changed": "\(changed)"])
            for warning in warnings { logger.warning("\(warning)") }
            return ReloadMessage(
                changed: changed,
                restartNeeded: waiting,
                warnings: warnings.isEmpty ? nil : warnings
            )
        } catch {
            logger.error(
                "The new configuration is bad; the old configuration stays in effect",
                metadata: ["error": "\(error)"]
            )
            throw error
        }
    }

    private static let folderTimeLimit = Duration.seconds(5)

    /// Names the keys that the daemon no longer has although files of the log folder need them.
    private static func warnings(ofLacking keys: Set<String>, in logs: String) -> [String] {
        let counts = BoundedWait.result(within: folderTimeLimit) { try? LogFolder(path: logs).filesByKey() }
        guard let counts = counts ?? nil else {
            let list = keys.sorted().joined(separator: ", ")
            let question = keys.count == 1 ? "the removed key \(list)" : "the removed keys \(list)"
            return ["The log folder could not be read. Some of its files may still need \(question)."]
        }
        return keys.sorted().compactMap { key in
            guard let count = counts[key], count > 0 else { return nil }
            let files = count == 1 ? "1 file" : "\(count) files"
            return "\(files) of the log folder cannot be read without the removed key \(key): put it back until no "
                + "file needs it. To see the files of each key: tributaryctl segment keys \(logs.shellWord)"
        }
    }
}
