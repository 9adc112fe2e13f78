import Foundation
import TestSupport
import Testing

/// Every wait of the admin command has a time limit.
@Suite(.daemonTurns) struct TimeoutTests {
    @Test(.timeLimit(.minutes(30)), arguments: [["status"], ["digest"], ["sync"], ["pause", "--for", "5m"]])
    func aDaemonThatSaysNothingIsNotWaitedForForEver(_ command: [String]) async throws {
        let daemon = try RunningDaemon()
        try await daemon.start()
        // The stopped process does not respond; the kernel still accepts connections for it.
        daemon.process?.send(SIGSTOP)
        let silent = try await daemon.command(command + ["--timeout", "300ms"])
        #expect(silent.ending == .exited(69), "\(silent.errors)")
        #expect(silent.errors.contains(daemon.socket) && silent.errors.contains("--timeout"), "\(silent.errors)")
        daemon.process?.send(SIGCONT)
        #expect(try await daemon.command(["--timeout", "1m", "status"]).ending == .exited(0))
        #expect(await daemon.stop() == .exited(0))
    }

    @Test(arguments: ["5 parsecs", "soon", "-1s"])
    func aLimitHasAUnit(_ text: String) async throws {
        let daemon = try RunningDaemon()
        #expect(try await daemon.command(["status", "--timeout", text]).ending == .exited(64))
    }
}
