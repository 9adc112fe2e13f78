import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// `etc/examples/follow.py` keeps its index in step, over kills of its own and restarts of the daemon.
@Suite(.timeLimit(.minutes(30)), .daemonTurns, .enabled(if: Python() != nil, "python3 is not installed"))
struct FollowerTests {
    private func follow(_ daemon: RunningDaemon) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env",
            ["python3", "-B", PackageFolder.path("etc/examples/follow.py"), daemon.socket, "Employee", index(daemon)],
            errors: daemon.folder.path("follow.log")
        )
    }

    private func index(_ daemon: RunningDaemon) -> String { daemon.folder.path("index.sqlite") }

    /// Waits until the index has exactly these texts; each question to the daemon takes its time.
    private func wait(for texts: [String], _ daemon: RunningDaemon) async throws {
        let end = ContinuousClock.now + .seconds(120)
        var found: [String] = []
        repeat {
            let rows = try? PlainSQL(path: index(daemon)).rows("SELECT text FROM object ORDER BY text")
            found = (rows ?? []).compactMap { $0[0] }
            if found == texts { return }
            _ = try await daemon.problems()
        } while ContinuousClock.now < end
        let errors = try? String(contentsOfFile: daemon.folder.path("follow.log"), encoding: .utf8)
        Issue.record("the index has \(found), not \(texts): \(errors ?? "")")
    }

    private func insert(_ name: String, _ daemon: RunningDaemon) async throws -> String {
        let change = #"{"insert":"Employee","values":{"name":"\#(name)"}}"#
        let (status, answer) = try await daemon.call(.post, "/v1/transactions", "{\"changes\":[\(change)]}")
        #expect(status == 200, "\(answer)")
        return try #require((answer["ids"] as? [String])?.first, "\(answer)")
    }

    @Test func goesOnWhereItWasKilled() async throws {
        let daemon = try await RunningDaemon.started()
        let ann = try await insert("Ann", daemon)
        let bob = try await insert("Bob", daemon)
        let first = try follow(daemon)
        defer { first.send(SIGKILL) }
        // What was there before, and what comes while it follows.
        try await wait(for: ["Ann", "Bob"], daemon)
        _ = try await insert("Cleo", daemon)
        try await wait(for: ["Ann", "Bob", "Cleo"], daemon)
        let found = try PlainSQL(path: index(daemon)).value("SELECT id FROM object WHERE object MATCH 'cleo'")
        #expect(found != nil && found != ann)
        first.send(SIGKILL)
        #expect(await first.ending() == .signalled(SIGKILL))

        // What happens while nobody follows: the token brings it.
        let token = try PlainSQL(path: index(daemon)).value("SELECT token FROM place")
        try await daemon.save(
            #"{"delete":"Employee","id":"\#(ann)"}"#,
            #"{"update":"Employee","id":"\#(bob)","values":{"name":"Bobby"}}"#
        )
        _ = try await insert("Dora", daemon)
        // A row that only a rebuilt index would lose: the second run reads changes, and not everything again.
        try PlainSQL(path: index(daemon)).execute("INSERT INTO object VALUES ('mark', 'Zoe')")
        let second = try follow(daemon)
        defer { second.send(SIGKILL) }
        try await wait(for: ["Bobby", "Cleo", "Dora", "Zoe"], daemon)
        #expect(try PlainSQL(path: index(daemon)).value("SELECT token FROM place") != token)

        // The daemon stops and starts; the follower connects again.
        #expect(await daemon.stop() == .exited(0))
        try await daemon.start()
        _ = try await insert("Emil", daemon)
        try await wait(for: ["Bobby", "Cleo", "Dora", "Emil", "Zoe"], daemon)
    }
}
