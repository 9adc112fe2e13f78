import TributaryAdmin

/// Problems that keep a synchronization from doing all that it was asked for.
enum SyncObstacles {
    /// Problems that a synchronization works around: what is waited for is listed by itself.
    private static let harmless: Set<String> = [
        "paused", "restart-needed", "values-deferred", "segments-waiting", "watch-failed", "watch-limit",
    ]

    /// Nil when there are none.
    static func problems(of daemon: AdminServices) async -> [StatusMessage.Problem]? {
        let found = await StatusReport.make(of: daemon).problems.filter { !harmless.contains($0.code) }
        return found.isEmpty ? nil : found
    }
}
