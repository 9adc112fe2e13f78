import Foundation
import TestSupport
import Testing

/// The daemon closes a connection after its last response.
@Suite(.daemonTurns) struct ClosedConnectionTests {
    @Test(arguments: [
        "GET /v1/status HTTP/1.0\r\n\r\n", "GET /v1/status HTTP/1.0\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nhost: localhost\r\nConnection: Close\r\n\r\n",
        "GET /v1/status HTTP/1.1\r\nhost: localhost\r\nconnection: TE, close\r\n\r\n",
        "GET /v1/nothing HTTP/1.0\r\n\r\n",
        "POST /v1/sync HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}",
    ])
    func itIsClosedForAClientThatDoesNotKeepIt(_ request: String) async throws {
        let daemon = try await RunningDaemon.started()
        let connection = try RawConnection(daemon.socket)
        connection.send(request)
        let answer = try await onThread { connection.readToEnd() }
        let (head, body) = try #require(parts(of: answer), "\(answer)")
        #expect(head.lowercased().contains("\r\nconnection: close"), "\(head)")
        #expect(head.hasPrefix(request.contains("HTTP/1.0") ? "HTTP/1.0 " : "HTTP/1.1 "), "\(head)")
        #expect(body.hasPrefix("{") && body.contains("}"), "\(body)")
        // The connection is closed in both directions: sending fails instead of filling a buffer.
        #expect(connection.isRefused(), "the daemon still reads")
    }

    @Test func itStaysOpenForTheNextRequestOfOthers() async throws {
        let daemon = try await RunningDaemon.started()
        for version in ["1.1\r\nhost: localhost", "1.0\r\nconnection: keep-alive"] {
            let connection = try RawConnection(daemon.socket)
            for _ in 0..<3 {
                connection.send("GET /v1/health HTTP/\(version)\r\n\r\n")
                let answer = try await onThread { connection.read() }
                #expect(answer.hasPrefix("HTTP/1."), "\(answer)")
                #expect(!answer.lowercased().contains("connection: close"), "\(answer)")
            }
        }
    }

    @Test func requestsBeforeTheLastOneAreAnsweredToo() async throws {
        let daemon = try await RunningDaemon.started()
        let connection = try RawConnection(daemon.socket)
        let request = "GET /v1/health HTTP/1.1\r\nhost: localhost\r\n"
        let last = request + "connection: close\r\n\r\n"
        // Bytes after the last request get no response.
        connection.send(request + "\r\n" + request + "\r\n" + last + request + "\r\n")
        let answers = try await onThread { connection.readToEnd() }
        #expect(answers.components(separatedBy: "HTTP/1.1 200").count == 4, "\(answers)")
        #expect(answers.lowercased().components(separatedBy: "connection: close").count == 2, "\(answers)")
    }

    /// A pipe into a socket ends like that, often before the daemon has seen the connection.
    @Test func whoSendsNothingMoreGetsTheAnswer() async throws {
        let daemon = try await RunningDaemon.started()
        for _ in 0..<100 {
            let connection = try RawConnection(daemon.socket)
            connection.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            connection.endSending()
            let answer = try await onThread { connection.readToEnd() }
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        }
    }

    private func parts(of answer: String) -> (head: String, body: String)? {
        answer.range(of: "\r\n\r\n").map { (String(answer[..<$0.lowerBound]), String(answer[$0.upperBound...])) }
    }
}
