import Logging
import Synchronization

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
