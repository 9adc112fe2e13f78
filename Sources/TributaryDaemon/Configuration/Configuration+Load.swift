import Foundation
import Tributary
import TributarySync

extension Configuration {
    /// Loads the configuration: flags have precedence over the environment, the environment over the file, the file
    /// over defaults.
    static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        let paths = DefaultPaths(environment: sources.environment)
        return try load(sources, try ConfigurationFile(sources, standard: paths.configuration), paths)
    }

    /// Loads the configuration from a file that is read already.
    static func load(
        _ sources: ConfigurationSources,
        _ file: ConfigurationFile?,
        _ paths: DefaultPaths
    ) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration(name: sources.hostName, store: paths.store, logs: paths.logs)
        configuration.file = file?.path
        for key in ConfigurationKey.all {
            if let entry = entry(for: key, in: sources, file) { try key.set(&configuration, entry) }
        }
        if configuration[originOf: \.admin.socket] == .standard {
            configuration.admin.socket = paths.socket(store: configuration.store)
        }
        // The default socket above lies beside the path that clients know.
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

    /// Checks combinations of values that are valid on their own, and limits.
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
        if sync.memory < 1 << 20 { throw error("must be at least 1MiB", in: \.sync.memory) }
    }
}
