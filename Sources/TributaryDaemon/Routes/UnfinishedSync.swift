import TributaryAdmin
import TributarySync

/// Finds the problems that prevent a synchronization from finishing.
enum UnfinishedSync {
    /// Codes of problems that do not prevent a synchronization; waiting segments are listed separately.
    private static let ignoredCodes: Set<String> = [
        "paused", "restart-needed", "checkpoint-failed", "values-deferred", "segments-waiting", "watch-failed",
        "watch-limit",
    ]

    static func problems(of daemon: AdminServices) async -> [StatusMessage.Problem]? {
        let sync = daemon.state.engine?.sync
        // A baseline that does not count matters only where nothing else has what is in it.
        let idle = Set((sync?.idleBaselineProblems ?? []).map { StatusReport.kebab($0.rawValue) })
        let found = await StatusReport.make(of: daemon).problems.filter { problem in
            !ignoredCodes.contains(problem.code) && !idle.contains(problem.code)
        }
        return found.isEmpty ? nil : found
    }
}
