import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges
import TributaryClient

@Suite("A synchronization reports its progress", .serialized, .daemonTurns)
struct SyncProgressTests {
    private func events(_ daemon: RunningDaemon) async throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        _ = try await daemon.client.events(AdminCall(.post, .sync)) { event in
            events.append(event)
            return true
        }
        return events
    }

    @Test("progress comes first and the result last; a refusal is a problem", .timeLimit(.minutes(30)))
    func streams() async throws {
        let daemon = try await RunningDaemon.started()
        let segment = EmployeeSegment(writer: UniqueID(UUID()), transactions: 3, changesEach: 100)
        try segment.publish(in: daemon.logs)
        let told = try await events(daemon)
        #expect(told.count >= 2 && told.dropLast().allSatisfy { $0.event == "progress" })
        #expect(told.first?.data.contains("\"queue\":") == true)
        let last = try #require(told.last)
        #expect(last.event == "result")
        let result = try JSONDecoder().decode(SyncMessage.self, from: Data(last.data.utf8))
        #expect(result.remaining.isEmpty)
        #expect(try await daemon.count("Employee") == 300)

        try await daemon.success(of: ["pause"])
        let refused = try await events(daemon)
        #expect(refused.last?.event == "problem")
        #expect(refused.last?.data.contains("urn:tributary:problem:paused") == true)
    }

    @Test(
        "a second one is refused with the name of the first; one whose client disconnects continues",
        .timeLimit(.minutes(30))
    )
    func oneAtATime() async throws {
        let daemon = try await RunningDaemon.started()
        let refused = try #require(try await refusal(daemon))
        #expect(refused.ending == .exited(75))
        #expect(refused.errors.contains("is synchronizing since 20"), "\(refused.errors)")
        // The first synchronization has no client any more and holds the lock until everything is imported.
        while try await daemon.command(["sync"]).ending != .exited(0) {}
        let count = try await daemon.count("Employee")
        let files = FileManager.default.enumerator(atPath: daemon.logs)?.compactMap { $0 as? String } ?? []
        let segments = files.count { $0.hasSuffix(".tlog") && !$0.hasPrefix(".") }
        #expect(segments > 0 && count == segments * 1_000, "\(segments) segments")
    }

    /// Runs the command while another client's synchronization is running, and returns its ending.
    private func refusal(_ daemon: RunningDaemon) async throws
        -> Answer?
    {
        var second: Answer?
        // A locked store delays the first synchronization by 10 s; on a busy machine the second may start later than
        // that.
        for _ in 0..<10 where second?.errors.contains("is synchronizing") != true {
            let holder = try StoreHolder(daemon.store)
            // The segment arrives after the store is locked, so that there is something to import for as long as it is.
            try EmployeeSegment(writer: UniqueID(UUID()), transactions: 1, changesEach: 1_000).publish(in: daemon.logs)
            _ = try await daemon.client.events(AdminCall(.post, .sync)) { _ in
                second = try await daemon.command(["sync"])
                return false
            }
            withExtendedLifetime(holder) {}
        }
        return second
    }

    @Test("the command shows its progress on a terminal and nowhere else", .timeLimit(.minutes(30)))
    func onATerminal() async throws {
        let daemon = try await RunningDaemon.started()
        let quiet = try await daemon.command(["sync"])
        #expect(quiet.ending == .exited(0) && quiet.errors.isEmpty)
        let shown = daemon.folder.path("shown")
        let terminal = try ChildProcess(
            "/usr/bin/script",
            ["-qec", "\(BuildFolder.executable("tributaryctl")) sync --socket \(daemon.socket)", shown],
            environment: ["TERM": "dumb"],
            output: daemon.folder.path("ignored")
        )
        #expect(await terminal.ending() == .exited(0))
        let text = try String(contentsOfFile: shown, encoding: .utf8)
        #expect(text.contains("imported 0 segments, 0 changes; 0 in the queue"), "\(text)")
        #expect(text.contains("exported 0 segments"), "\(text)")
    }
}
