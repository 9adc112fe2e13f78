import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("A Syncthing that the daemon cannot ask for a scan", .daemonTurns)
struct ScanRequestTests {
    private static let key = "a-key-that-nobody-may-read"

    private func daemon(keyMode: Int = 0o600) async throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        try daemon.folder.write(Self.key + "\n", to: "key")
        try FileManager.default.setAttributes([.posixPermissions: keyMode], ofItemAtPath: daemon.folder.path("key"))
        // Port 9 is that of the discard service, which nobody runs.
        try daemon.configure(
            """
            replicator:
              syncthing: {url: "http://127.0.0.1:9", key_file: key, folder: tills}
            """
        )
        try await daemon.start()
        return daemon
    }

    private func problem(of daemon: RunningDaemon) async throws -> [String: Any]? {
        let (_, status) = try await daemon.call(.get, "/v1/status")
        let problems = try #require(status["problems"] as? [[String: Any]])
        return problems.first { $0["code"] as? String == "scan-not-requested" }
    }

    private func waitForProblem(of daemon: RunningDaemon) async throws -> [String: Any] {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if let found = try await problem(of: daemon) { return found }
            await Task.yield()
        }
        return try #require(try await problem(of: daemon), "\(daemon.log)")
    }

    @Test("is a problem with the address, keeps no save and no sync, and ends with the setting")
    func unreachable() async throws {
        let daemon = try await daemon()
        let found = try await waitForProblem(of: daemon)
        #expect((found["detail"] as? String)?.contains("http://127.0.0.1:9") == true, "\(found)")
        #expect((found["hint"] as? String)?.contains("replicator.syncthing.url") == true, "\(found)")
        let body =
            #"{"changes":[{"insert":"Employee","id":"0190a000-0000-7000-8000-000000000001","values":{"name":"A"}}]}"#
        let saved = try await daemon.call(.post, "/v1/transactions", body)
        #expect(saved.0 < 300, "\(saved.1)")
        let synced = try await daemon.call(.post, "/v1/sync")
        #expect(synced.0 == 200 && synced.1["problems"] == nil, "\(synced.1)")

        let (_, settings) = try await daemon.call(.get, "/v1/config")
        #expect(!"\(settings)\(daemon.journal)\(found)".contains(Self.key))
        try daemon.configure()
        #expect(try await daemon.call(.post, "/v1/reload").0 == 200)
        #expect(try await problem(of: daemon) == nil)
    }

    @Test("since every user may read its key is a problem with the command that ends it")
    func readableKey() async throws {
        let daemon = try await daemon(keyMode: 0o644)
        let found = try await waitForProblem(of: daemon)
        let key = daemon.folder.path("key")
        #expect((found["detail"] as? String)?.contains("chmod o= \(key)") == true, "\(found)")
    }
}
