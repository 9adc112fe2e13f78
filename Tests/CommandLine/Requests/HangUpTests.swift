import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Regular expressions that backtrack for minutes within one row: the end of such a read, and other reads meanwhile.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct HangUpTests {
    /// For each character that `.*?` matches, the atomic group reads the whole rest: 10,000 steps, the least number
    /// after which ICU can be stopped, read many billions of characters.
    private static let expression = ".*?(?>[^x]*)x"
    private static let textLength = 8_000_000

    private static let matching: String = {
        let condition = "name MATCHES '\(expression)'"
        return "/v1/objects/Employee?count=true&where="
            + (condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }()

    private func started() async throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        var writer = RunningDaemon.foreignWriter()
        let name = String(repeating: "a", count: Self.textLength)
        try writer.write([[RunningDaemon.insertion(1, name: name)]], to: daemon.logs)
        try await daemon.start()
        let sync = try await daemon.call(.post, "/v1/sync")
        #expect(sync.0 == 200, "\(sync.1)")
        return daemon
    }

    private func metric(_ name: String, of daemon: RunningDaemon) async throws -> Int {
        let answer = try await daemon.client.send(AdminCall(.get, "/metrics"))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("\(name) ") }, "\(lines)")
        return try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }

    /// Waits until a metric has the value; false when the time limit of a read passes first.
    private func wait(for name: String, toBe count: Int, of daemon: RunningDaemon) async throws -> Bool {
        while try await metric(name, of: daemon) != count {
            if try await metric("tributary_reads_timed_out_total", of: daemon) > 0 { return false }
        }
        return true
    }

    /// Runs `body` with new daemons until it ends before the time limit of the first read.
    ///
    /// A read ends by itself after 10 s, which on a busy machine may be before its client has disconnected.
    private func inTime(_ body: (RunningDaemon) async throws -> Bool) async throws {
        for _ in 0..<5 {
            let daemon = try await started()
            let isInTime = try await body(daemon)
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
            if isInTime { return }
        }
        Issue.record("no client hung up before the time of its read was over")
    }

    @Test func longReadsLeaveAReaderFreeAndEndWithTheirClients() async throws { try await inTime(hangUp) }

    /// Sends long reads, others meanwhile, and disconnects; false when that took too long.
    private func hangUp(_ daemon: RunningDaemon) async throws -> Bool {
        let clients = try (0..<30).map { _ in try RawConnection(daemon.socket) }
        for client in clients { client.send("GET \(Self.matching) HTTP/1.1\r\nhost: localhost\r\n\r\n") }
        guard try await wait(for: "tributary_reads", toBe: clients.count, of: daemon) else { return false }
        for arguments in [["object", "list", "Department"], ["segment", "list", "--all"]] {
            try await daemon.success(of: arguments)
        }
        let isInTime = try await metric("tributary_reads_timed_out_total", of: daemon) == 0
        for client in clients { client.close() }
        guard isInTime, try await wait(for: "tributary_reads_cancelled_total", toBe: clients.count, of: daemon) else {
            return false
        }
        #expect(try await metric("tributary_reads", of: daemon) == 0)
        // The readers are free although no match has been stopped yet.
        #expect(try await metric("tributary_abandoned_matches", of: daemon) > 0)
        return true
    }

    @Test func aReadEndsWithItsTimeInsideARowToo() async throws {
        let daemon = try await started()
        let (status, problem) = try await daemon.call(.get, Self.matching)
        #expect(status == 503 && problem["type"] as? String == "urn:tributary:problem:timeout", "\(problem)")
        #expect(try await metric("tributary_reads_timed_out_total", of: daemon) == 1)
        #expect(try await metric("tributary_abandoned_matches", of: daemon) == 1)
        #expect(try await daemon.count("Employee") == 1)
    }
}
