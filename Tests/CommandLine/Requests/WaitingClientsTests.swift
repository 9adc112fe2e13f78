import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// Clients that connect faster than the daemon accepts connections.
@Suite(.daemonTurns) struct WaitingClientsTests {
    @Test(.timeLimit(.minutes(30))) func connectionsWaitToBeTaken() async throws {
        let most = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
        let count = 400
        guard Int(most.filter(\.isNumber)) ?? 0 >= count else {
            try Test.cancel("the kernel keeps no \(count) waiting")
        }
        let daemon = try RunningDaemon()
        try await daemon.start()
        // The stopped daemon accepts none, so that all clients wait.
        daemon.process?.send(SIGSTOP)
        let sockets = (0..<count).map { _ in
            let descriptor = UnixAddress.socket()
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        }
        defer { sockets.forEach { close($0) } }
        let refused = sockets.count { socket in
            UnixAddress.with(daemon.socket) { connect(socket, $0, $1) } != 0
        }
        #expect(refused == 0)
        daemon.process?.send(SIGCONT)
        #expect(try await daemon.call(.get, "/v1/health").0 == 200)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}
