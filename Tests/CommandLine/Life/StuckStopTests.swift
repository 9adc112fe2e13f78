import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The stop with a store that another process has locked, and with a mount whose server does not respond.
@Suite(.serialized, .daemonTurns) struct StuckStopTests {
    private static let insert = #"{"changes":[{"insert":"Department","values":{"title":"R&D"}}]}"#

    @Test(.timeLimit(.minutes(30))) func aStoreLockedByAnotherProcessEndsTheStopAtItsDeadline() async throws {
        let daemon = try await RunningDaemon.started(configuring: "shutdown: {timeout: 2s}")
        let holder = try StoreHolder(daemon.store)
        // These saves cannot be committed, and their clients get no response. Each one fails after 10 s with the write
        // lock, so that many are waiting for the stop even on a busy machine.
        let connections = try (0..<60).map { _ in try RawConnection(daemon.socket) }
        for connection in connections {
            connection.send(
                "POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\ncontent-length: \(Self.insert.utf8.count)\r\n\r\n"
                    + Self.insert
            )
        }
        while try await daemon.call(.get, "/v1/status").1["pendingSaves"] as? Int == 0 {}
        #expect(await daemon.stop() == .exited(75), "\(daemon.log)")
        // The deadline is at 2.5 s; a stop without it would wait for 10 s more.
        #expect(try daemon.secondsOfStop() < 10, "\(daemon.log)")
        withExtendedLifetime((holder, connections)) {}
    }

    @Test(.timeLimit(.minutes(30))) func aLockedStoreWithNothingToSaveLosesNothing() async throws {
        let daemon = try await RunningDaemon.started(configuring: "shutdown: {timeout: 2s}")
        #expect(try await daemon.call(.post, "/v1/transactions", Self.insert).0 == 200)
        #expect(try await daemon.command(["sync"]).ending == .exited(0))
        var holder: StoreHolder? = try StoreHolder(daemon.store)
        let ending = await daemon.stop()
        #expect(ending == .exited(0) || ending == .exited(75), "\(daemon.log)")
        #expect(try daemon.secondsOfStop() < 10, "\(daemon.log)")
        withExtendedLifetime(holder) {}
        holder = nil
        #expect(try PlainSQL(path: daemon.store).value("SELECT title FROM Department") == "R&D")
    }

    @Test(.timeLimit(.minutes(30))) func aMountThatDoesNotAnswerHoldsUpNeitherStartNorReloadNorStop() async throws {
        if let reason = SilentMount.reasonNotToMount { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        try daemon.configure("shutdown: {timeout: 5s}")
        let mount = try SilentMount(daemon.logs)
        try await daemon.start()
        #expect(try await daemon.call(.post, "/v1/transactions", Self.insert).0 == 200)
        let status = try await daemon.call(.get, "/v1/status").1
        let problems = try #require(status["problems"] as? [[String: Any]])
        #expect(problems.contains { $0["code"] as? String == "logs-silent" }, "\(problems)")
        try daemon.configure("shutdown: {timeout: 5s}\nlog: {level: debug}")
        let reload = try await daemon.command(["reload"])
        #expect(reload.ending == .exited(0), "\(reload.errors)")
        #expect(try await daemon.command(["log-level"]).output.contains("debug"))
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        withExtendedLifetime(mount) {}
    }
}
