package import Logging

/// The daemon's configuration: the value of every key with its origin.
package struct Configuration: Sendable, Hashable {
    /// A value with its origin.
    package struct Setting: Sendable, Hashable {
        package var value: ConfigurationValue
        package var origin: ConfigurationOrigin
    }

    /// The configuration file; nil when there is none.
    package let file: String?
    private let settings: [ConfigurationKey: Setting]

    init(file: String?, settings: [ConfigurationKey: Setting]) {
        self.file = file
        self.settings = settings
    }

    package subscript(key: ConfigurationKey) -> Setting {
        settings[key] ?? Setting(value: .none, origin: .standard)
    }

    package var name: String { text(.name) ?? "tributary" }
    package var store: String { text(.store) ?? "" }
    /// The path of the model; nil when none is configured.
    package var model: String? { text(.model) }
    package var logs: String { text(.logs) ?? "" }
    package var socket: String { text(.adminSocket) ?? "" }
    package var listen: LoopbackAddress? { text(.adminListen).flatMap { LoopbackAddress($0) } }

    package var logLevel: Logger.Level {
        if case .level(let level) = self[.logLevel].value { level } else { .info }
    }

    /// The groups whose members may write; nil when every user who may connect may write.
    package var writers: [String]? {
        if case .groups(let names) = self[.adminWriters].value { names } else { nil }
    }

    /// The interval of rescans; nil for `auto`.
    package var rescan: Duration? {
        if case .duration(let duration) = self[.watchRescan].value { duration } else { nil }
    }

    package func duration(_ key: ConfigurationKey) -> Duration {
        if case .duration(let duration) = self[key].value { duration } else { .zero }
    }

    package func size(_ key: ConfigurationKey) -> Int {
        if case .size(let bytes) = self[key].value { bytes } else { 0 }
    }

    package func count(_ key: ConfigurationKey) -> Int {
        if case .count(let value) = self[key].value { value } else { 0 }
    }

    package func isOn(_ key: ConfigurationKey) -> Bool { self[key].value == .boolean(true) }

    private func text(_ key: ConfigurationKey) -> String? {
        if case .text(let text) = self[key].value { text } else { nil }
    }

    /// Returns the keys whose values differ.
    package func differences(from other: Configuration) -> [ConfigurationKey] {
        ConfigurationKey.allCases.filter { self[$0].value != other[$0].value }
    }
}
