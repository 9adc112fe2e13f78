import Logging
import TributaryAdmin

/// The services of the routes besides the open store.
struct AdminServices: Sendable {
    let state: DaemonState
    let counters: AdminCounters
    let logger: Logger
    let logLevel: LogLevelSetting
    /// Ends the change streams.
    let shutdownBroadcast: ShutdownBroadcast
    /// Allows one synchronization at a time.
    let syncLock = WorkLock(activity: "synchronizing")
    /// Allows one backup at a time.
    let backupLock = WorkLock(activity: "making a backup")
    /// Allows one check at a time.
    let checkLock = WorkLock(activity: "checking the store")
    /// Allows one requested compaction at a time.
    let compactLock = WorkLock(activity: "compacting")
    let problemTimes = ProblemTimes()
    /// Reads the configuration again.
    let reload: @Sendable () async throws -> ReloadMessage
    /// Starts the graceful stop.
    let shutdown: @Sendable () -> Void
}
