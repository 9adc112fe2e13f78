import Logging
import Tributary
import TributarySync

/// The daemon's configuration, with the origin of each value that is not a default.
///
/// ``ConfigurationKey/all`` names the fields that can be set. A default is written where the value is used.
struct Configuration: Sendable {
    /// A field of the configuration, such as `\.merge.debounce`.
    typealias Field = any PartialKeyPath<Configuration> & Sendable

    struct History: Sendable {
        /// The time for which transactions stay readable.
        var keep = Duration.seconds(30 * 86_400)
    }

    struct Migration: Sendable {
        /// Whether a start may drop values although the version of the model is unchanged.
        var allowsLoss = MigrationOptions().allowsLoss
    }

    struct Admin: Sendable {
        var socket = ""
        /// The groups whose members may write; nil when every user who may connect may write.
        var writers: [String]?
        var listen: LoopbackAddress?
    }

    struct Log: Sendable {
        var level = LogLevelSetting.standard
    }

    var file: String?
    var store: String
    var model: String?
    var merge = MergeOptions()
    var sync: SyncConfiguration
    var history = History()
    var migration = Migration()
    var admin = Admin()
    var shutdown = StopSchedule()
    var log = Log()
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

    subscript(originOf field: Field) -> ConfigurationOrigin {
        get { origins[field] ?? .standard }
        set { origins[field] = newValue }
    }

    func error(_ reason: String, in field: Field) -> ConfigurationError {
        let key = ConfigurationKey.all.first { $0.field == field }
        return ConfigurationError(reason: reason, key: key?.name, origin: self[originOf: field])
    }

    func differences(from other: Configuration) -> [ConfigurationKey] {
        ConfigurationKey.all.filter { !$0.isEqual(self, other) }
    }
}
