import Foundation
import TestSupport
import Testing
import TributaryAdmin

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

    /// Starts a daemon whose store has one employee with a long name.
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

    /// Returns the value of a metric.
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

    @Test func clientsThatHangUpLeaveTheReadersFree() async throws { try await inTime(hangUp) }

    @Test func theListOfSegmentsWaitsForAReaderAndEndsWithItsClientToo() async throws {
        try await inTime(hangUpLists)
    }

    /// Occupies all readers of a daemon, disconnects, and checks that they are free; false when that took too long.
    private func hangUp(_ daemon: RunningDaemon) async throws -> Bool {
        let clients = try (0..<4).map { _ in try RawConnection(daemon.socket) }
        for client in clients { client.send("GET \(Self.matching) HTTP/1.1\r\nhost: localhost\r\n\r\n") }
        guard try await wait(for: "tributary_long_matches", toBe: 2, of: daemon) else { return false }
        let otherClient = daemon.client
        async let other = otherClient.send(AdminCall(.get, "/v1/objects/Department?count=true"))
        // All readers are occupied, and the other client waits.
        let isFull = try await wait(for: "tributary_reads", toBe: 5, of: daemon)
        for client in clients { client.close() }
        let answer = try await other
        #expect(answer.status == 200 || !isFull, "\(String(decoding: answer.body, as: UTF8.self))")
        guard isFull, try await wait(for: "tributary_reads_cancelled_total", toBe: 4, of: daemon) else { return false }
        #expect(try await metric("tributary_reads", of: daemon) == 0)
        // The readers are free although neither match has been stopped yet.
        #expect(try await metric("tributary_abandoned_matches", of: daemon) == 2)
        return true
    }

    /// Occupies two readers, requests lists on the others, and disconnects; false when that took too long.
    private func hangUpLists(_ daemon: RunningDaemon) async throws -> Bool {
        let busy = try (0..<2).map { _ in try RawConnection(daemon.socket) }
        for client in busy { client.send("GET \(Self.matching) HTTP/1.1\r\nhost: localhost\r\n\r\n") }
        guard try await wait(for: "tributary_long_matches", toBe: 2, of: daemon) else { return false }
        let lists = try (0..<2).map { _ in try RawConnection(daemon.socket) }
        for client in lists {
            client.send("GET /v1/segments?all=true HTTP/1.1\r\nhost: localhost\r\n\r\n")
        }
        guard try await wait(for: "tributary_reads", toBe: 4, of: daemon) else { return false }
        for client in lists { client.close() }
        guard try await wait(for: "tributary_reads_cancelled_total", toBe: 2, of: daemon) else { return false }
        for client in busy { client.close() }
        return try await wait(for: "tributary_reads_cancelled_total", toBe: 4, of: daemon)
    }

    @Test func aReadEndsWithItsTimeInsideARowToo() async throws {
        let daemon = try await started()
        let (status, problem) = try await daemon.call(.get, Self.matching)
        #expect(status == 503 && problem["type"] as? String == "urn:tributary:problem:timeout", "\(problem)")
        #expect(try await metric("tributary_reads_timed_out_total", of: daemon) == 1)
        #expect(try await metric("tributary_abandoned_matches", of: daemon) == 1)
        #expect(try await daemon.call(.get, "/v1/objects/Employee?count=true").1["count"] as? Int == 1)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}
