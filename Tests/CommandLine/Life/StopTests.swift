import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Conditions that must not delay the stop of the daemon, and work that must continue meanwhile.
@Suite(.serialized, .daemonTurns) struct StopTests {
    private static let insert = #"{"insert":"Department","values":{"title":"R&D"}}"#

    @Test(.timeLimit(.minutes(30))) func aStoreLockedByAnotherProcessEndsTheStopAtItsDeadline() async throws {
        let daemon = try await RunningDaemon.started(configuring: "shutdown: {timeout: 2s}")
        let holder = try StoreHolder(daemon.store)
        // These saves cannot be committed, and their clients get no response. Each one fails after 10 s with the write
        // lock, so that many are waiting for the stop even on a busy machine.
        let body = "{\"changes\":[\(Self.insert)]}"
        let connections = try (0..<60).map { _ in try RawConnection(daemon.socket) }
        for connection in connections {
            let head = "POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\n"
            connection.send("\(head)content-length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        while try await daemon.call(.get, "/v1/status").1["pendingSaves"] as? Int == 0 {}
        #expect(await daemon.stop() == .exited(75), "\(daemon.log)")
        // The deadline is at 2.5 s; a stop without it would wait for 10 s more.
        #expect(try daemon.secondsOfStop() < 10, "\(daemon.log)")
        withExtendedLifetime((holder, connections)) {}
    }

    @Test(.timeLimit(.minutes(30))) func aLockedStoreWithNothingToSaveLosesNothing() async throws {
        let daemon = try await RunningDaemon.started(configuring: "shutdown: {timeout: 2s}")
        try await daemon.save(Self.insert)
        try await daemon.success(of: ["sync"])
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
        try await daemon.save(Self.insert)
        #expect(try await daemon.problems().contains("logs-silent"))
        try daemon.configure("shutdown: {timeout: 5s}\nlog: {level: debug}")
        try await daemon.success(of: ["reload"])
        #expect(try await daemon.command(["log-level"]).output.contains("debug"))
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        withExtendedLifetime(mount) {}
    }

    @Test(.timeLimit(.minutes(30))) func aLogFolderThatHangsKeepsNeitherSavesNorTheStop() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        try daemon.configure("shutdown: {timeout: 5s}")
        let hanging = try HangingFolder(daemon.logs)
        // The daemon becomes ready although the folder does not respond.
        try await daemon.start()
        try await daemon.save(Self.insert)
        #expect(try await daemon.problems().contains("logs-silent"))
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
