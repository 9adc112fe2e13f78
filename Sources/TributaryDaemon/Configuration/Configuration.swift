import Logging
import Tributary
import TributaryAdmin
import TributaryStore
import TributarySync

// This folder reads the settings from the file, the environment and the command line, and records the origin of each.

/// The fields that can be set are in ``ConfigurationKey/all``; a default is written where the value is used.
struct Configuration: Sendable {
    typealias Field = any PartialKeyPath<Configuration> & Sendable

    /// Determines the writer of the store after the machine has booted.
    enum Reboot: String, CaseIterable, Sendable { case fresh, trust }

    struct Admin: Sendable {
        var socket = ""
        /// The groups whose members may write; nil when every user who may connect may write.
        var writers: [String]?
        var listen: LoopbackAddress?
        /// Everybody who can reach ``listen`` reads the page.
        var page = PageData.Extent.counts
    }

    var file: String?
    /// Files beside it that look like YAML, but are not read because of their names.
    var unreadFiles: [String] = []
    var store: String
    var model: String?
    var merge = MergeOptions()
    var sync: SyncConfiguration
    var encryptionKeyFile: String?
    var reboot = Reboot.fresh
    var historyAge = Duration.seconds(30 * 86_400)
    var migration = MigrationSettings()
    var disk = DiskLimits()
    var admin = Admin()
    var replicator = ReplicatorSettings()
    var shutdown = StopSchedule()
    var logLevel = LogLevelSetting.standard
    /// Groups of `admin.writers` that this machine does not have.
    var unknownWriters: [String] = []
    private var origins: [Field: ConfigurationOrigin] = [:]

    init(name: String, store: String, logs: String) {
        self.store = store
        sync = SyncConfiguration(logs: logs)
        self.name = name
    }

    var name: String {
        get { sync.name ?? "" }
        set { sync.name = newValue }
    }

    var logs: String {
        get { sync.logs }
        set { sync.logs = newValue }
    }

    /// The keys must have been read, because everything would otherwise be published unencrypted.
    var syncWithKeys: SyncConfiguration {
        precondition(encryptionKeyFile == nil || sync.encryption.current != nil, "the key file has not been read")
        return sync
    }

    subscript(originOf field: Field) -> ConfigurationOrigin {
        get { origins[field] ?? .standard }
        set { origins[field] = newValue }
    }

    func error(_ reason: String, in field: Field, code: Int32? = nil) -> ConfigurationError {
        let key = ConfigurationKey.all.first { $0.field == field }
        return ConfigurationError(reason: reason, key: key?.name, origin: self[originOf: field], code: code)
    }

    static func textOfUnread(_ file: String) -> String {
        "'\(file)' is not read: the name of a file with settings ends with .yaml, and does not begin with a dot"
    }

    func differences(from other: Configuration) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { !$0.isEqual(self, other) }
    }
}

extension Configuration {
    /// Flags have precedence over the environment, the environment over the file, and the file over defaults.
    static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        let paths = sources.paths
        return try load(sources, ConfigurationFile(sources, standard: paths.configuration), paths)
    }

    /// Returns the path of the store even if the sources cannot be loaded; nil when the path is unknown.
    static func store(of sources: ConfigurationSources) -> String? {
        let paths = sources.paths
        let file = ConfigurationFile(sources, standard: paths.configuration)
        var configuration = Configuration(name: sources.hostName, store: paths.store, logs: paths.logs)
        guard let key = ConfigurationKey.all.first(where: { $0.field == \.store }) else { return nil }
        if let entry = entry(for: key, in: sources, file) {
            guard (try? key.set(&configuration, entry)) != nil else { return nil }
        } else if file?.isYAML == false, sources.environment["STATE_DIRECTORY"] == nil {
            // The file may have named any store.
            return nil
        }
        return (try? configuration.followStoreLink()) == nil ? nil : configuration.store
    }

    static func load(
        _ sources: ConfigurationSources,
        _ file: ConfigurationFile?,
        _ paths: DefaultPaths
    ) throws(ConfigurationError) -> Configuration {
        if let fault = file?.fault { throw fault }
        var configuration = Configuration(name: sources.hostName, store: paths.store, logs: paths.logs)
        configuration.file = file?.path
        configuration.unreadFiles = file?.unreadFiles ?? []
        for key in ConfigurationKey.all {
            if let entry = entry(for: key, in: sources, file) { try key.set(&configuration, entry) }
        }
        if configuration[originOf: \.admin.socket] == .standard {
            configuration.admin.socket = paths.socket(besideStore: configuration.store)
        }
        // The default socket above is next to the path that clients know.
        try configuration.followStoreLink()
        // Clients connect where the service manager listens, whatever path the file has.
        if let path = sources.inheritedSocket {
            configuration.admin.socket = path
            configuration[originOf: \.admin.socket] = .serviceManager
        }
        try configuration.checkTogether()
        return configuration
    }

    private static func entry(
        for key: ConfigurationKey,
        in sources: ConfigurationSources,
        _ file: ConfigurationFile?
    ) -> ConfigurationEntry? {
        let folder = sources.workingDirectory
        if let flag = key.flag, let text = sources.flags[flag] {
            return ConfigurationEntry(written: .text(text), origin: .flag(flag), folder: folder)
        }
        if let variable = key.variable, let text = sources.environment[variable], !text.isEmpty {
            return ConfigurationEntry(written: .text(text), origin: .environment(variable), folder: folder)
        }
        return file?.entries[key.name]
    }

    private func checkTogether() throws(ConfigurationError) {
        if merge.ceiling < merge.debounce {
            throw error("must not be shorter than merge.debounce", in: \.merge.ceiling)
        }
        if admin.socket.utf8.count > AdminSocket.longestPath {
            throw error(
                "the path is longer than \(AdminSocket.longestPath) bytes, which no Unix socket can have:"
                    + " '\(admin.socket)'",
                in: \.admin.socket
            )
        }
        if let limit = sync.maxBytes, limit < 64 << 10 { throw error("must be at least 64KiB", in: \.sync.maxBytes) }
        if sync.memory < 1 << 20 { throw error("must be at least 1MiB", in: \.sync.memory) }
    }
}

enum ConfigurationOrigin: Hashable, Sendable {
    case standard
    case file(path: String, line: Int?, column: Int? = nil)
    case environment(String)
    case flag(String)
    case serviceManager

    var word: String {
        switch self {
        case .standard: "default"
        case .file: "file"
        case .environment: "environment"
        case .flag: "flag"
        case .serviceManager: "systemd"
        }
    }

    var source: String? {
        switch self {
        case .standard, .serviceManager: nil
        case .file(let path, _, _): path
        case .environment(let name), .flag(let name): name
        }
    }

    var line: Int? {
        if case .file(_, let line, _) = self { line } else { nil }
    }

    var column: Int? {
        if case .file(_, _, let column) = self { column } else { nil }
    }

    var location: String? { source.map { source in line.map { "\(source):\($0)" } ?? source } }
}

struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    var reason: String
    var key: String?
    var origin = ConfigurationOrigin.standard
    var code: Int32?

    var status: ExitStatus { ExitStatus(passing: code) ?? .badConfiguration }

    var description: String { (origin.location.map { "\($0): " } ?? "") + detail }

    var detail: String {
        [key, origin.column.map { "column \($0)" }, reason].compactMap { $0 }.joined(separator: ": ")
    }
}
