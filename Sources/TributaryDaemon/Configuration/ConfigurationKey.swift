import Logging
import Tributary
import TributaryChanges
import TributaryStore
import TributarySync

/// A key of the configuration file; a flag and a variable may set the same field.
struct ConfigurationKey: Sendable, CustomStringConvertible {
    let name: String
    let field: Configuration.Field
    let flag: String?
    let variable: String?
    let needsRestart: Bool
    let form: String
    let set: @Sendable (inout Configuration, ConfigurationEntry) throws(ConfigurationError) -> Void
    let text: @Sendable (Configuration) -> String?
    let isEqual: @Sendable (Configuration, Configuration) -> Bool

    var description: String { name }

    private init<Value>(
        _ name: String,
        _ field: any WritableKeyPath<Configuration, Value> & Sendable,
        _ syntax: SettingSyntax<Value>,
        flag: String? = nil,
        variable: String? = nil,
        needsRestart: Bool = false
    ) {
        self.name = name
        self.field = field
        self.flag = flag
        self.variable = variable
        self.needsRestart = needsRestart
        form = syntax.expectation
        set = { configuration, entry throws(ConfigurationError) in
            configuration[keyPath: field] = try syntax.value(of: entry, for: name)
            configuration[originOf: field] = entry.origin
        }
        text = { syntax.text($0[keyPath: field]) }
        isEqual = { $0[keyPath: field] == $1[keyPath: field] }
    }

    static let all: [ConfigurationKey] = [
        .init("name", \.name, .text, flag: "--name", variable: "TRIBUTARY_NAME"),
        .init("store", \.store, .path, flag: "--store", variable: "TRIBUTARY_STORE", needsRestart: true),
        .init("model", \.model, .path, flag: "--model", variable: "TRIBUTARY_MODEL", needsRestart: true),
        .init("logs", \.logs, .path, flag: "--logs", variable: "TRIBUTARY_LOGS", needsRestart: true),
        .init("logs.max_bytes", \.sync.maxBytes, .optionalSize),
        .init("merge.debounce", \.merge.debounce, .duration),
        .init("merge.ceiling", \.merge.ceiling, .duration),
        .init("merge.saves", \.merge.saves, .boolean),
        .init("export.enabled", \.sync.exports, .boolean),
        .init("export.debounce", \.sync.exportDebounce, .duration),
        .init("export.segment_bytes", \.sync.segmentBytes, .size),
        .init("export.acknowledge", \.sync.acknowledge, .duration),
        .init("watch.rescan", \.sync.rescan, .durationOrAuto),
        .init("watch.incomplete_grace", \.sync.incompleteGrace, .duration),
        .init("import.slice_changes", \.sync.sliceChanges, .count),
        .init("import.memory", \.sync.memory, .size),
        .init("identity.reboot", \.reboot, .choice, needsRestart: true),
        .init("clock.max_ahead", \.sync.maxAhead, .duration),
        .init("trust.mode", \.sync.trust.mode, .choice),
        .init("trust.pin_first", \.sync.trust.pinsFirst, .boolean),
        .init("trust.keys", \.sync.trust.keys, .keys),
        .init("encryption.key_file", \.encryptionKeyFile, .optionalPath),
        .init("encryption.required", \.sync.encryption.isRequired, .boolean),
        .init("history.keep", \.historyAge, .duration),
        .init("migration.allow_loss", \.migration.allowsLoss, .boolean),
        .init("retention.keep_segments", \.sync.keepSegments, .duration),
        .init("disk.warn_days", \.disk.warnDays, .count),
        .init("disk.warn_free", \.disk.warnFree, .size),
        .init("replicator.syncthing.url", \.replicator.syncthing.address, .url),
        .init("replicator.syncthing.key_file", \.replicator.syncthing.keyFile, .optionalPath),
        .init("replicator.syncthing.folder", \.replicator.syncthing.folder, .optionalText),
        .init(
            "admin.socket",
            \.admin.socket,
            .path,
            flag: "--socket",
            variable: "TRIBUTARY_SOCKET",
            needsRestart: true
        ),
        .init("admin.writers", \.admin.writers, .groups),
        .init("admin.listen", \.admin.listen, .address, needsRestart: true),
        .init("admin.page", \.admin.page, .choice),
        .init("shutdown.timeout", \.shutdown.timeout, .duration),
        .init("log.level", \.logLevel, .choice, variable: "TRIBUTARY_LOG_LEVEL"),
    ]
}

/// `tributaryd --list-settings` prints it, and tributary.yaml(5) is generated from it.
package struct SettingDescription: Codable, Sendable {
    package let key: String
    /// Nil without a default, or when the default depends on the machine.
    package let standard: String?
    package let form: String
    package let flag: String?
    package let variable: String?
    package let needsRestart: Bool

    package static var all: [SettingDescription] {
        let plain = Configuration(name: "", store: "", logs: "")
        return ConfigurationKey.all.map { key in
            let standard = key.text(plain).flatMap { $0.isEmpty ? nil : $0 }
            return SettingDescription(
                key: key.name,
                standard: standard,
                form: key.form,
                flag: key.flag,
                variable: key.variable,
                needsRestart: key.needsRestart
            )
        }
    }

    private enum CodingKeys: String, CodingKey {
        case key, form, flag, variable, needsRestart
        case standard = "default"
    }
}
