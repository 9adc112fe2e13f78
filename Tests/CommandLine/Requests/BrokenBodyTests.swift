import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Requests whose bodies do not match their headers.
@Suite(.daemonTurns) struct BrokenBodyTests {
    @Test(.timeLimit(.minutes(30))) func aBodyThatIsNoHTTPIsTheClientsMistake() async throws {
        let daemon = try await RunningDaemon.started()
        let client = try RawConnection(daemon.socket)
        client.send(
            "POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
        )
        let answer = client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("bad-request"), "\(answer)")
        #expect(await daemon.stop() == .exited(0))
        #expect(!daemon.journal.contains("ERROR"), "\(daemon.log)")
    }

    /// No header tells the length of a chunked body, so that the limit holds while it is read.
    @Test(.timeLimit(.minutes(30))) func aChunkedBodyHasTheSameLimit() async throws {
        let daemon = try await RunningDaemon.started()
        func send(mebibytes count: Int) throws -> String {
            let client = try RawConnection(daemon.socket)
            client.send(
                "POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
            for _ in 0..<count { client.send(chunk) }
            client.send("0\r\n\r\n")
            return client.readToEnd()
        }
        // Without the limit, spaces would be no JSON.
        let whole = try send(mebibytes: 16)
        #expect(whole.hasPrefix("HTTP/1.1 400") && whole.contains("not valid JSON"), "\(whole)")
        let large = try send(mebibytes: 20)
        #expect(large.hasPrefix("HTTP/1.1 413") && large.contains("larger than 16 MiB"), "\(large)")
        #expect(try await daemon.call(.get, "/v1/health").0 == 200)
    }

    @Test(.timeLimit(.minutes(30))) func whoHangsUpIsNoFailureOfTheDaemon() async throws {
        let daemon = try await RunningDaemon.started()
        for _ in 0..<500 {
            let client = try RawConnection(daemon.socket)
            client.send("GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n")
            client.close()
        }
        #expect(await daemon.stop() == .exited(0))
        #expect(!daemon.journal.contains("ERROR"), "\(daemon.log)")
    }

    @Test(.timeLimit(.minutes(30))) func aHeadThatIsTooLongIsRefusedWithThatReason() async throws {
        let daemon = try await RunningDaemon.started()
        let list = try await daemon.command([
            "object", "list", "Employee", "--where", String(repeating: "x", count: 100_000),
        ])
        #expect(list.ending == .exited(64) && list.errors.contains("80 KiB"), "\(list)")
    }

    @Test(.timeLimit(.minutes(30))) func theAnswerToAHeadHasNoBody() async throws {
        let daemon = try await RunningDaemon.started()
        let client = try RawConnection(daemon.socket)
        client.send("HEAD /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n")
        client.send("GET /v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        let answers = client.readToEnd()
        #expect(answers.hasPrefix("HTTP/1.1 405") && answers.contains("\r\n\r\nHTTP/1.1 200"), "\(answers)")
    }
}
