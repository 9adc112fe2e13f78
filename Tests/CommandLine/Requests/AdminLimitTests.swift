import Foundation
import TestSupport
import Testing

/// The number of clients is limited, and a client beyond the limit gets a response that says so.
@Suite(.daemonTurns) struct AdminLimitTests {
    @Test(.timeLimit(.minutes(30))) func connectionsPastTheLimitAreRefusedWithAReason() async throws {
        let daemon = try RunningDaemon()
        try await daemon.start()
        var connections: [RawConnection] = []
        var refusal = ""
        // The daemon sends nothing on idle connections, and a refusal on the first one beyond the limit.
        while refusal.isEmpty, connections.count < 2_000 {
            // The daemon closes an idle connection after a minute, which is less than reading them all in sequence may
            // take.
            let added = try (0..<64).map { _ in try RawConnection(daemon.socket) }
            for connection in added { connection.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n") }
            for connection in added {
                let answer = try await onThread { connection.read() }
                if answer.hasPrefix("HTTP/1.1 200") {
                    connections.append(connection)
                } else if refusal.isEmpty {
                    refusal = answer
                }
            }
        }
        #expect(refusal.hasPrefix("HTTP/1.1 503 "), "\(refusal)")
        #expect(refusal.contains("urn:tributary:problem:too-many-clients"), "\(refusal)")
        #expect(connections.count >= 256, "the clients that may follow the changes fit")
        // The daemon responds on an existing connection, and imports.
        connections.last?.send("GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n")
        #expect(connections.last?.read().hasPrefix("HTTP/1.1 200") == true)
        connections = []
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}
