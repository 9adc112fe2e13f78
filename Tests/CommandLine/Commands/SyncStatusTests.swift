import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The exit status of `tributaryctl sync` when a problem prevented a part of the work.
@Suite(.serialized, .daemonTurns) struct SyncStatusTests {
    private static let writer = "5f0c0000-0000-4000-8000-00000000000a"

    private static func insert(_ name: String) -> String {
        #"{"insert":"Employee","id":"0190f1a2-0000-7000-8000-000000000001","values":{"name":"\#(name)"}}"#
    }

    @Test(.timeLimit(.minutes(30))) func aFullDiskIsWorthAnotherTry() async throws {
        if let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        try daemon.configure("log: {level: info}")
        try await daemon.start(withLogsOf: 64 << 10)
        let title = String(repeating: "x", count: 100_000)
        try await daemon.save(#"{"insert":"Department","values":{"title":"\#(title)"}}"#)
        let full = try await daemon.expect(75, of: ["sync"])
        #expect(full.errors.contains("No space left on device"), "\(full.errors)")
        let json = try await daemon.expect(75, of: ["sync", "--json"])
        #expect(json.output.contains("urn:tributary:problem:storage-full"), "\(json.output)")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
        let status = try await daemon.command(["status"])
        #expect(status.output.contains("No space left on device"), "\(status.output)")
        // With free space again no further action is needed.
        try await daemon.resizeLogs(to: 16 << 20)
        try await daemon.success(of: ["sync"])
        try await daemon.success(of: ["status", "--check"])
    }

    @Test(.timeLimit(.minutes(30))) func countsByTransactionAreToldAsSuch() async throws {
        let daemon = try await RunningDaemon.started()
        var writer = ForeignWriter(id: Self.writer, milliseconds: UInt64(Date().timeIntervalSince1970 * 1000))
        let text = "; with an object once for each transaction that changed it"
        var (output, attempt) = ("", 0)
        // The daemon may have imported the segment by itself before the command asks.
        while !output.contains(text), attempt < 20 {
            let first = attempt * 60_000
            let changes = (first..<first + 60_000).map {
                #"{"insert":"Employee","id":"\#(String(format: "0190f1a2-0000-7000-8000-%012x", $0))","values":{"name":"A"}}"#
            }
            try writer.write([changes, [Self.insert("Bob \(attempt)")]], to: daemon.logs)
            output = try await daemon.command(["sync"]).output
            attempt += 1
        }
        #expect(output.contains(text), "\(output)")
        let next = try await daemon.command(["sync"])
        #expect(next.output.contains("0 deleted\n"), "\(next)")
    }

    @Test(.timeLimit(.minutes(30))) func aForkOfAnAppliedSegmentIsReported() async throws {
        let daemon = try await RunningDaemon.started()
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        var writer = ForeignWriter(id: Self.writer, milliseconds: now)
        var clone = writer
        let file = URL(filePath: try writer.write([[Self.insert("Ann")]], to: daemon.logs))
        let right = try Data(contentsOf: file)
        try await daemon.success(of: ["sync"])
        try clone.write([[Self.insert("Bob")]], to: daemon.logs)
        let (code, answer) = try await daemon.call(.post, "/v1/sync")
        #expect(code == 200)
        let problems = try #require(answer["problems"] as? [[String: Any]], "\(answer)")
        #expect(problems.map { $0["code"] as? String } == ["segments-forked"])
        try await daemon.expect(75, of: ["sync"], output: "Two machines have written as")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
        // The file that was applied comes back.
        try right.write(to: file)
        try await daemon.success(of: ["sync"])
        try await daemon.success(of: ["status", "--check"])
    }

    /// A baseline that does not count is a problem of the sync only where nothing else has what is in it.
    @Test(.timeLimit(.minutes(30))) func aBrokenBaselineMattersUntilItsSegmentsAreHere() async throws {
        let daemon = try RunningDaemon()
        let hash = String(repeating: "0", count: 64)
        let broken = "{}\n{\"end\":1,\"transactions\":1,\"changes\":1,\"sha256\":\"\(hash)\"}\n"
        try daemon.folder.write(broken, to: "logs/\(Self.writer)/0000000000000001.baseline")
        try await daemon.start()
        try await daemon.expect(75, of: ["sync"], output: ".baseline is not used")
        var writer = ForeignWriter(id: Self.writer, milliseconds: UInt64(Date().timeIntervalSince1970 * 1000))
        try writer.write([[Self.insert("Ann")]], to: daemon.logs)
        try await daemon.success(of: ["sync"])
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
        #expect(try await daemon.problems() == ["baseline-refused"])
    }

    /// An unreadable segment was meant to be imported: a script that asks for a synchronization must be told that it
    /// was not.
    @Test(
        .timeLimit(.minutes(30)),
        arguments: ["\(SyncStatusTests.writer.uppercased())/x.tlog", "\(SyncStatusTests.writer)/1-1.tlog"]
    )
    func aNearlyValidNameIsReported(path: String) async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write("", to: "logs/\(path)")
        try await daemon.start()
        try await daemon.expect(75, of: ["sync"], output: "lower-case")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
    }
}
