import TestSupport
import Testing

/// A pasted hint reaches the daemon that the hint is about.
@Suite(.daemonTurns) struct PastedHintTests {
    @Test func hintsNameTheSocketThatWasGiven() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(try await daemon.command(["--socket", daemon.socket, "pause"]).ending == .exited(0))
        let status = try await daemon.command(["--socket", daemon.socket, "status"])
        #expect(status.output.contains("tributaryctl --socket \(daemon.socket) resume"), "\(status.output)")
        let plain = try await daemon.command(["status"])
        #expect(plain.output.contains("tributaryctl resume"), "TRIBUTARY_SOCKET stays: \(plain.output)")
        _ = await daemon.stop()
    }
}
