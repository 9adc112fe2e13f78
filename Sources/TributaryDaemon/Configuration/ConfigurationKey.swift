/// The keys of the configuration file, in the order of the output.
package enum ConfigurationKey: String, CaseIterable, Sendable {
    case name
    case store
    case model
    case logs
    case mergeDebounce = "merge.debounce"
    case mergeCeiling = "merge.ceiling"
    case mergeSaves = "merge.saves"
    case exportEnabled = "export.enabled"
    case exportDebounce = "export.debounce"
    case exportSegmentBytes = "export.segment_bytes"
    case exportAcknowledge = "export.acknowledge"
    case watchRescan = "watch.rescan"
    case watchIncompleteGrace = "watch.incomplete_grace"
    case importSliceChanges = "import.slice_changes"
    case importMemory = "import.memory"
    case clockMaxAhead = "clock.max_ahead"
    case historyKeep = "history.keep"
    case migrationAllowLoss = "migration.allow_loss"
    case retentionKeepSegments = "retention.keep_segments"
    case adminSocket = "admin.socket"
    case adminWriters = "admin.writers"
    case adminListen = "admin.listen"
    case shutdownTimeout = "shutdown.timeout"
    case logLevel = "log.level"

    /// The type of a key's values.
    enum Kind {
        case text
        case path
        case duration
        case durationOrAuto
        case size
        case boolean
        case count
        case level
        case groups
        case address
    }

    var kind: Kind {
        switch self {
        case .name: .text
        case .store, .model, .logs, .adminSocket: .path
        case .mergeDebounce, .mergeCeiling, .exportDebounce, .exportAcknowledge, .watchIncompleteGrace,
            .clockMaxAhead, .historyKeep, .retentionKeepSegments, .shutdownTimeout:
            .duration
        case .watchRescan: .durationOrAuto
        case .exportSegmentBytes, .importMemory: .size
        case .mergeSaves, .exportEnabled, .migrationAllowLoss: .boolean
        case .importSliceChanges: .count
        case .logLevel: .level
        case .adminWriters: .groups
        case .adminListen: .address
        }
    }

    /// The default value in the syntax of the file; nil for values that depend on the installation.
    var defaultText: String? {
        switch self {
        case .name, .store, .model, .logs, .adminSocket, .adminWriters, .adminListen: nil
        case .mergeDebounce, .exportDebounce: "1s"
        case .mergeCeiling: "5s"
        case .mergeSaves, .exportEnabled: "true"
        case .exportSegmentBytes: "1MiB"
        case .exportAcknowledge, .clockMaxAhead: "1h"
        case .watchRescan: "auto"
        case .watchIncompleteGrace: "60s"
        case .importSliceChanges: "20000"
        case .importMemory: "64MiB"
        case .historyKeep, .retentionKeepSegments: "30d"
        case .migrationAllowLoss: "false"
        case .shutdownTimeout: "85s"
        case .logLevel: "info"
        }
    }

    /// Whether a new value takes effect only after a restart.
    var needsRestart: Bool {
        switch self {
        case .store, .model, .logs, .adminSocket, .adminListen: true
        default: false
        }
    }

    /// The environment variable of the key; nil when there is none.
    var variable: String? {
        switch self {
        case .model: "TRIBUTARY_MODEL"
        case .store: "TRIBUTARY_STORE"
        case .logs: "TRIBUTARY_LOGS"
        case .adminSocket: "TRIBUTARY_SOCKET"
        case .name: "TRIBUTARY_NAME"
        case .logLevel: "TRIBUTARY_LOG_LEVEL"
        default: nil
        }
    }
}
