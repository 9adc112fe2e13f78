import Foundation

extension Configuration {
    /// Loads the configuration: flags have precedence over the environment, the environment over the file, the file
    /// over defaults.
    ///
    /// - Throws: ``ConfigurationError`` for the first value that is not valid.
    package static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        let paths = DefaultPaths(environment: sources.environment)
        let file = try configurationFile(sources, paths: paths)
        var settings: [ConfigurationKey: Setting] = [:]
        for key in ConfigurationKey.allCases {
            settings[key] = try setting(key, sources: sources, file: file)
        }
        // Clients connect where the service manager listens, whatever path the file has.
        if let path = sources.inheritedSocket {
            settings[.adminSocket] = Setting(value: .text(path), origin: .serviceManager)
        }
        func fill(_ key: ConfigurationKey, _ text: String) {
            if settings[key] == nil { settings[key] = Setting(value: .text(text), origin: .standard) }
        }
        fill(.name, sources.hostName)
        fill(.store, paths.store)
        fill(.logs, paths.logs)
        if case .text(let store) = settings[.store]?.value { fill(.adminSocket, paths.socket(store: store)) }
        let configuration = Configuration(file: file?.path, settings: settings)
        try configuration.checkTogether()
        return configuration
    }

    private static func configurationFile(
        _ sources: ConfigurationSources,
        paths: DefaultPaths
    ) throws(ConfigurationError) -> ConfigurationFile? {
        if let path = sources.file ?? sources.environment["TRIBUTARY_CONFIG"].flatMap({ $0.isEmpty ? nil : $0 }) {
            return try ConfigurationFile(path: absolute(path, from: sources.workingDirectory))
        }
        guard FileManager.default.fileExists(atPath: paths.configuration) else { return nil }
        return try ConfigurationFile(path: paths.configuration)
    }

    private static func setting(
        _ key: ConfigurationKey,
        sources: ConfigurationSources,
        file: ConfigurationFile?
    ) throws(ConfigurationError) -> Setting? {
        if let text = sources.flags[key] {
            return try setting(text, key: key, origin: .flag("--" + flagName(key)), base: sources.workingDirectory)
        }
        if let variable = key.variable, let text = sources.environment[variable], !text.isEmpty {
            return try setting(text, key: key, origin: .environment(variable), base: sources.workingDirectory)
        }
        if let file, let entry = file.entries[key] {
            var value = try ConfigurationReader.value(entry, for: key, file: file.path)
            if key.kind == .path, case .text(let path) = value {
                value = .text(absolute(path, from: (file.path as NSString).deletingLastPathComponent))
            }
            return Setting(value: value, origin: .file(path: file.path, line: entry.line))
        }
        guard let text = key.defaultText else { return nil }
        return Setting(value: try ConfigurationReader.value(text, for: key), origin: .standard)
    }

    private static func setting(
        _ text: String,
        key: ConfigurationKey,
        origin: ConfigurationOrigin,
        base: String
    ) throws(ConfigurationError) -> Setting {
        do {
            let value = try ConfigurationReader.value(key.kind == .path ? absolute(text, from: base) : text, for: key)
            return Setting(value: value, origin: origin)
        } catch {
            throw ConfigurationError(error.reason, key: key, origin: origin)
        }
    }

    private static func flagName(_ key: ConfigurationKey) -> String {
        key == .adminSocket ? "socket" : key.rawValue
    }

    private static func absolute(_ path: String, from base: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: base, isDirectory: true))
            .standardizedFileURL.path
    }

    /// Checks combinations of values that are valid on their own.
    private func checkTogether() throws(ConfigurationError) {
        if duration(.mergeCeiling) < duration(.mergeDebounce) {
            throw ConfigurationError(
                "must not be shorter than merge.debounce",
                key: .mergeCeiling,
                origin: self[.mergeCeiling].origin
            )
        }
        if socket.utf8.count > AdminSocket.longestPath {
            throw ConfigurationError(
                "the path is longer than \(AdminSocket.longestPath) bytes, which no Unix socket can have: '\(socket)'",
                key: .adminSocket,
                origin: self[.adminSocket].origin
            )
        }
        if size(.importMemory) < 1 << 20 {
            throw ConfigurationError("must be at least 1MiB", key: .importMemory, origin: self[.importMemory].origin)
        }
    }
}
