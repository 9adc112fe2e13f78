import Logging
import TributaryAdmin

/// What the routes work with besides the open store.
struct AdminServices: Sendable {
    let state: DaemonState
    let counters: AdminCounters
    let logger: Logger
    let logLevel: LogLevelSetting
    /// Ends the streams of those who follow the changes.
    let farewell: Farewell
    /// Who synchronizes now.
    let syncTurn = SyncTurn()
    let problemTimes = ProblemTimes()
    /// Reads the configuration again.
    let reload: @Sendable () async throws -> ReloadMessage
    /// Begins the graceful stop.
    let shutdown: @Sendable () -> Void
}
