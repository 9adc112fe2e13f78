import Foundation
import Synchronization
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Clients that connect while the daemon stops.
@Suite(.serialized, .daemonTurns) struct ConnectingClientsTests {
    /// Clients that connect, send a request or none, and disconnect, repeatedly until their end is requested.
    private final class Clients: Sendable {
        private let isOver = Mutex(false)

        func come(to socket: String, asking: Bool) {
            while !isOver.withLock({ $0 }) {
                guard let client = try? RawConnection(socket), asking else { continue }
                client.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                _ = client.read()
            }
        }

        func end() { isOver.withLock { $0 = true } }
    }

    private func withClients<T>(of socket: String, _ body: () async throws -> T) async throws -> T {
        let clients = Clients()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for asking in [true, false, true, false] {
                group.addTask { try await onThread { clients.come(to: socket, asking: asking) } }
            }
            defer { clients.end() }
            return try await body()
        }
    }

    @Test(.timeLimit(.minutes(30))) func theStopEndsAsIfThereWereNone() async throws {
        let daemon = try RunningDaemon()
        for round in 1...8 {
            try await daemon.start()
            let ending = try await withClients(of: daemon.socket) {
                // The clients are active.
                let (status, _) = try await daemon.call(.get, "/v1/health")
                #expect(status == 200)
                return await daemon.stop()
            }
            try #require(ending == .exited(0), "round \(round): \(daemon.log)")
        }
    }

    @Test(.timeLimit(.minutes(30))) func aStartThatFailsSaysWhyAndNothingElse() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(String(repeating: "no store", count: 1000), to: "one.sqlite")
        for round in 1...8 {
            let process = try daemon.spawn()
            let ending = try await withClients(of: daemon.socket) { await process.ending() }
            try #require(ending == .exited(74), "round \(round): \(daemon.log)")
            #expect(!daemon.journal.contains("Listening failed"), "\(daemon.log)")
        }
    }
}
