import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// Conditions that must not delay the stop of the daemon, and work that must continue meanwhile.
@Suite(.daemonTurns) struct StopTests {
    private static let insert = #"{"changes":[{"insert":"Department","values":{"title":"R&D"}}]}"#

    @Test(.timeLimit(.minutes(30))) func aLogFolderThatHangsKeepsNeitherSavesNorTheStop() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        try daemon.configure("shutdown: {timeout: 5s}")
        let hanging = try HangingFolder(daemon.logs)
        // The daemon becomes ready although the folder does not respond.
        try await daemon.start()
        #expect(try await daemon.call(.post, "/v1/transactions", Self.insert).0 == 200)
        let status = try await daemon.call(.get, "/v1/status").1
        let problems = try #require(status["problems"] as? [[String: Any]])
        #expect(problems.contains { $0["code"] as? String == "logs-silent" }, "\(problems)")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        withExtendedLifetime(hanging) {}
    }

    @Test(.timeLimit(.minutes(30))) func aClientThatDripsItsBodyIsNotWaitedFor() async throws {
        let daemon = try await RunningDaemon.started(configuring: "shutdown: {timeout: 5s}")
        let connection = try RawConnection(daemon.socket)
        connection.send("POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n{")
        // The daemon has read the earlier bytes when it has responded to these requests.
        for _ in 0..<3 { #expect(try await daemon.call(.get, "/v1/health").0 == 200) }
        // The client sends bytes as long as the daemon reads them, which without a time limit is for days.
        let dripping = Task { try await onThread { connection.drip() } }
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(try daemon.secondsOfStop() < 15, "\(daemon.log)")
        try await dripping.value
    }
}
