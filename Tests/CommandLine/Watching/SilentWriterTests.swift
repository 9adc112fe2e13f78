import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A store that has been silent for longer than is its habit is a notice, and no problem.
@Suite(.daemonTurns) struct SilentWriterTests {
    @Test func itIsANotice() async throws {
        let daemon = try RunningDaemon()
        let id = "5f0c0000-0000-4000-8000-0000000000aa"
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        // A transaction every 30 minutes, until seven hours ago.
        var silent = ForeignWriter(id: id, milliseconds: now)
        // Another one that wrote a moment ago.
        var other = RunningDaemon.foreignWriter(2)
        for index: UInt64 in 0...40 {
            silent.moveClock(to: now - 27 * 3_600_000 + index * 1_800_000)
            try silent.write([[]], to: daemon.logs)
            other.moveClock(to: now - 20 * 3_600_000 + index * 1_800_000)
            try other.write([[]], to: daemon.logs)
        }
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        let (_, status) = try await daemon.call(.get, "/v1/status")
        let notices = try #require(status["notices"] as? [[String: Any]], "\(status)")
        #expect(notices.map { $0["code"] as? String } == ["writer-silent"], "\(notices)")
        #expect(notices[0]["writer"] as? String == id)
        let since = try #require(notices[0]["since"] as? Double)
        #expect(abs(since - Double(now) / 1000 + 7 * 3_600) < 5)
        #expect((status["problems"] as? [Any])?.isEmpty == true, "\(status)")
        // All is well, and the exit status says so.
        try await daemon.success(of: ["status", "--check"])
        let text = try await daemon.success(of: ["status"]).output
        #expect(text.hasPrefix("well, with 1 notice, running"), "\(text)")
        #expect(
            text.contains("notice: \(id) has written nothing for 7 hours, and usually writes again within 30 minutes."),
            "\(text)"
        )
        let metrics = try await daemon.success(of: ["metrics"]).output
        #expect(metrics.contains("tributary_notices_by_code{code=\"writer-silent\"} 1\n"), "\(metrics)")
        #expect(metrics.contains("\ntributary_problems 0\n"), "\(metrics)")
        // An administrator who gives it up hears no more of it.
        try await daemon.success(of: ["writer", "evict", id])
        let (_, later) = try await daemon.call(.get, "/v1/status")
        #expect(later["notices"] == nil, "\(later)")
    }
}
