import TributaryAdmin
import TributaryChanges

/// Logs the first failure, each failure with a different problem, and one failure an hour.
struct FailureReports: Sendable {
    struct Report: Hashable, Sendable {
        var reason: String
        var before: String?
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

    mutating func ended(at now: Duration) -> (attempts: Int, time: Duration)? {
        defer { series = nil }
        return series.map { ($0.attempts, now - $0.start) }
    }
}
