import TributaryAdmin
import TributaryChanges

/// Decides which failures of work that is tried again and again reach the journal: the first one, a failure with another
/// problem, and one an hour with what has changed since.
struct FailureReports: Sendable {
    /// The content of an entry of the journal.
    struct Report: Hashable, Sendable {
        var reason: String
        /// The reason in the entry before, when it was another one.
        var before: String?
        /// The failures since the first one, and the time since then; nil for the first one.
        var attempts: Int?
        var time: Duration?
    }

    private struct Series {
        var code: Problem.Code
        var reason: String
        let start: Duration
        var reported: Duration
        var attempts = 1
    }

    private static let interval = Duration.seconds(3_600)
    private var series: Series?

    /// Returns the entry for a failure; nil when it is not reported.
    mutating func failed(_ code: Problem.Code, _ reason: String, at now: Duration) -> Report? {
        guard var current = series else {
            series = Series(code: code, reason: reason, start: now, reported: now)
            return Report(reason: reason)
        }
        current.attempts += 1
        defer { series = current }
        guard code != current.code || now - current.reported >= FailureReports.interval else { return nil }
        let before = current.reason == reason ? nil : current.reason
        (current.code, current.reason, current.reported) = (code, reason, now)
        return Report(reason: reason, before: before, attempts: current.attempts, time: now - current.start)
    }

    /// Ends the failures; returns their number and the time since the first one, or nil when there were none.
    mutating func ended(at now: Duration) -> (attempts: Int, time: Duration)? {
        defer { series = nil }
        return series.map { ($0.attempts, now - $0.start) }
    }
}
