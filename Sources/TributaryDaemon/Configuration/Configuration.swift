package import Logging

/// The daemon's whole configuration: every key has a value and an origin.
package struct Configuration: Sendable, Hashable {
    /// A value and where it came from.
    package struct Setting: Sendable, Hashable {
        package var value: ConfigurationValue
        package var origin: ConfigurationOrigin
    }

    /// The file that was read, if there was one.
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
    /// Nil when no model was named.
    package var model: String? { text(.model) }
    package var logs: String { text(.logs) ?? "" }
    package var socket: String { text(.adminSocket) ?? "" }
    package var listen: LoopbackAddress? { text(.adminListen).flatMap { LoopbackAddress($0) } }

    package var logLevel: Logger.Level {
        if case .level(let level) = self[.logLevel].value { level } else { .info }
    }

    /// Groups whose members may write, nil when everyone who may connect may.
    package var writers: [String]? {
        if case .groups(let names) = self[.adminWriters].value { names } else { nil }
    }

    /// Nil stands for `auto`.
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

    /// Keys whose values differ.
    package func differences(from other: Configuration) -> [ConfigurationKey] {
        ConfigurationKey.allCases.filter { self[$0].value != other[$0].value }
    }
}
