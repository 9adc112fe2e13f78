import TributaryAdmin

/// Finds the problems that prevent a synchronization from finishing.
enum SyncProblems {
    /// Codes of problems that do not prevent a synchronization; waiting segments are listed separately.
    private static let ignoredCodes: Set<String> = [
        "paused", "restart-needed", "checkpoint-failed", "values-deferred", "segments-waiting", "watch-failed",
        "watch-limit",
    ]

    /// Returns the problems; nil when there are none.
    static func problems(of daemon: AdminServices) async -> [StatusMessage.Problem]? {
        let found = await StatusReport.make(of: daemon).problems.filter { !ignoredCodes.contains($0.code) }
        return found.isEmpty ? nil : found
    }
}
