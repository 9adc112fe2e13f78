import Testing
import TributaryAdmin

@testable import TributarySync

/// An export that fails for days writes a line an hour.
@Suite struct FailureReportsTests {
    @Test func aFailureIsReportedOnceAndThenHourly() {
        var reports = FailureReports()
        var lines: [FailureReports.Report] = []
        // Every ten seconds for two hours and a half; the disk is mounted read-only after 20 minutes.
        for seconds in stride(from: 0, to: 9_000, by: 10) {
            let reason = seconds < 1_200 ? "full" : "read-only"
            if let report = reports.failed(.exportFailed, reason, at: .seconds(seconds)) { lines.append(report) }
        }
        #expect(
            lines == [
                .init(reason: "full"),
                .init(reason: "read-only", before: "full", attempts: 361, time: .seconds(3_600)),
                .init(reason: "read-only", attempts: 721, time: .seconds(7_200)),
            ]
        )
        let end = reports.ended(at: .seconds(9_000))
        #expect(end?.attempts == 900 && end?.time == .seconds(9_000))
        #expect(reports.ended(at: .seconds(9_001)) == nil)
        #expect(reports.failed(.exportFailed, "full", at: .seconds(9_010)) == .init(reason: "full"))
    }

    @Test func anotherProblemIsReportedAtOnce() {
        var reports = FailureReports()
        #expect(reports.failed(.exportFailed, "full", at: .zero) != nil)
        let other = reports.failed(.ownClockAhead, "ahead", at: .seconds(10))
        #expect(other == .init(reason: "ahead", before: "full", attempts: 2, time: .seconds(10)))
        #expect(reports.failed(.ownClockAhead, "ahead by less", at: .seconds(20)) == nil)
    }
}
