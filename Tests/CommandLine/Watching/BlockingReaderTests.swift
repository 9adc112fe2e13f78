import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A process that does not end its read transaction is named by a notice, because the store's WAL grows.
@Suite(.daemonTurns) struct BlockingReaderTests {
    /// The reader begins on the store's file alone, or on a state that is in the WAL.
    @Test(arguments: [false, true]) func itIsANotice(beginningInTheLog isInLog: Bool) async throws {
        let daemon = try await RunningDaemon.started()
        let name = String(repeating: "x", count: 1 << 20)
        func save(_ count: Int) async throws {
            for _ in 0..<count {
                let id = UUID().uuidString.lowercased()
                try await daemon.save(#"{"insert":"Employee","id":"\#(id)","values":{"name":"\#(name)"}}"#)
            }
        }
        try await save(1)
        // Nothing keeps the log from being copied back, or a change is in it that is not copied back yet.
        WALCheckpoint.run(path: daemon.store)
        if isInLog { try await daemon.save(RunningDaemon.insertion(1)) }
        var reader: StoreHolder? = try StoreHolder.reading(daemon.store)
        try await save(20)

        try await daemon.success(of: ["status", "--check"])
        func notice() async throws -> [String: Any]? {
            let notices = try await daemon.call(.get, "/v1/status").1["notices"] as? [[String: Any]]
            return notices?.first { $0["code"] as? String == "checkpoint-blocked" }
        }
        let blocked = try #require(try await notice())
        let number = getpid()
        let detail = try #require(blocked["detail"] as? String)
        #expect(detail.contains("\(daemon.store)-wal has grown to "), "\(detail)")
        #expect(detail.contains("Process \(number) ("), "\(detail)")
        let hint = try #require(blocked["hint"] as? String)
        #expect(hint.contains("ps -fp \(number). To end it: kill \(number)"), "\(hint)")

        withExtendedLifetime(reader) {}
        reader = nil
        #expect(try await notice() == nil)
    }
}
