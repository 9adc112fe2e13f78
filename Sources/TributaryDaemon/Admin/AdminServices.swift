import Logging
import TributaryAdmin

/// The services of the routes besides the open store.
struct AdminServices: Sendable {
    let state: DaemonState
    let counters: AdminCounters
    let logger: Logger
    let logLevel: LogLevelSetting
    let shutdownBroadcast: ShutdownBroadcast
    let syncLock = WorkLock(activity: "synchronizing")
    let backupLock = WorkLock(activity: "making a backup")
    let checkLock = WorkLock(activity: "checking the store")
    let compactLock = WorkLock(activity: "compacting")
    let problemTimes = ProblemTimes()
    let reload: @Sendable () async throws -> ReloadMessage
    let shutdown: @Sendable () -> Void
}
