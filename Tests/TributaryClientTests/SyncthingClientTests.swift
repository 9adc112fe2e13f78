import Foundation
import Glibc
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// What answers at the address may be anything; the client ends in time, and says what it met.
@Suite("A client of Syncthing", .timeLimit(.minutes(5)))
struct SyncthingClientTests {
    private func client(_ port: UInt16, key: String = "key", mode: mode_t = 0o600) throws -> (SyncthingClient, String) {
        let file = NSTemporaryDirectory() + "tributary-key-\(UUID().uuidString)"
        try key.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(chmod(file, mode) == 0)
        let address = try #require(LoopbackAddress("127.0.0.1:\(port)"))
        return (SyncthingClient(address: address, keyFile: file), file)
    }

    private func error(answering answer: [UInt8], repeated: Int = 1) async throws -> SyncthingError? {
        let listener = try Loopback.Listener(answering: answer, repeated: repeated)
        var (client, file) = try client(listener.port)
        defer { unlink(file) }
        // A machine with much to do takes its time.
        client.timeLimit = .seconds(240)
        let asking = client
        return await #expect(throws: SyncthingError.self) { _ = try await asking.folder("logs") }
    }

    @Test(
        "names what an answer without a folder means",
        arguments: [
            ("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "does not accept the key", 77 as Int32),
            ("HTTP/1.1 307 Temporary Redirect\r\ncontent-length: 0\r\n\r\n", "accepts HTTPS only", 78),
            ("HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\nNo folder", "has no folder with this ID", 66),
            ("HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\nwhat", "answered 500: what", 75),
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", "is not the expected JSON", 69),
            ("220 mail.example ESMTP\r\n", "is not HTTP", 69),
            ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", "", 69),
        ]
    )
    func answers(answer: String, words: String, status: Int32) async throws {
        let error = try #require(try await error(answering: Array(answer.utf8)))
        #expect("\(error)".contains(words) || words.isEmpty, "\(error)")
        #expect(error.exitStatus.rawValue == status && !error.hint.isEmpty, "\(error)")
    }

    @Test("reads no more of an answer than a bound")
    func endless() async throws {
        let head = Array("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n".utf8)
        let error = try await error(answering: head + [UInt8](repeating: 0x20, count: 1 << 20), repeated: 64)
        #expect("\(try #require(error))".contains("more than"))
    }

    @Test("waits no longer than its limit")
    func silent() async throws {
        let listener = try Loopback.Listener(answering: nil)
        var (client, file) = try client(listener.port)
        defer { unlink(file) }
        client.timeLimit = .milliseconds(200)
        let asking = client
        let error = await #expect(throws: SyncthingError.self) { try await asking.scan(folder: "logs", below: []) }
        #expect(error == .silent(client.address, after: .milliseconds(200)))
    }

    @Test("takes a key from a file of one line that other users cannot read")
    func keys() async throws {
        for (key, mode, words) in [
            ("key", 0o644, "every user of the machine"), ("two words", 0o600, "one line"), ("", 0o600, "one line"),
            ("key\r\nx-other: 1", 0o600, "one line"), (String(repeating: "k", count: 2_000), 0o600, "one line"),
        ] as [(String, mode_t, String)] {
            let (client, file) = try client(9, key: key, mode: mode)
            defer { unlink(file) }
            let error = await #expect(throws: SyncthingError.self) { try await client.scan(folder: "logs", below: []) }
            #expect("\(try #require(error))".contains(words), "\(String(describing: error))")
            #expect(error?.exitStatus == .badConfiguration)
        }
    }
}
