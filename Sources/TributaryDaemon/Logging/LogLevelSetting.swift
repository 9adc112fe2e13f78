import Logging
import Synchronization

/// The log level of the daemon, which can change while it runs.
final class LogLevelSetting: Sendable {
    /// The level before the configuration is loaded, and without a configured one.
    static let standard = Logger.Level.info

    private let level = Mutex(standard)

    init() {}

    var value: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}
