/// The response of `GET /v1/config`.
package struct ConfigurationMessage: Codable, Hashable, Sendable {
    package struct Setting: Codable, Hashable, Sendable {
        package var key: String
        /// In the syntax of the configuration file.
        package var value: String?
        /// `default`, `file`, `environment` or `flag`.
        package var origin: String
        package var place: String?

        package init(key: String, value: String?, origin: String, place: String?) {
            self.key = key
            self.value = value
            self.origin = origin
            self.place = place
        }
    }

    package var file: String?
    package var settings: [Setting]
    package var restartNeeded: Bool

    package init(file: String?, settings: [Setting], restartNeeded: Bool) {
        self.file = file
        self.settings = settings
        self.restartNeeded = restartNeeded
    }
}

/// The response of `POST /v1/reload`.
package struct ReloadMessage: Codable, Hashable, Sendable {
    package var changed: [String]
    package var restartNeeded: [String]
    /// The settings in use that the new configuration removes; absent without such settings.
    package var warnings: [String]?

    package init(changed: [String], restartNeeded: [String], warnings: [String]? = nil) {
        self.changed = changed
        self.restartNeeded = restartNeeded
        self.warnings = warnings
    }
}

/// The response of `GET /v1/log-level`, and the body of `PUT`.
package struct LogLevelMessage: Codable, Hashable, Sendable {
    package var level: String

    package init(level: String) {
        self.level = level
    }
}
