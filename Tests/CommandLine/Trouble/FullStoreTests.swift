import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// A store on a full disk that has free space again.
@Suite(.daemonTurns) struct FullStoreTests {
    /// The daemon itself imports again 10 s after a failure.
    ///
    /// On a busy machine that may be before the command runs; then the test begins again with a new daemon.
    @Test(.timeLimit(.minutes(30))) func aSynchronizationTriesAgainWhatFailed() async throws {
        if let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        var isImportedByTheCommand = false
        for _ in 0..<10 where !isImportedByTheCommand { isImportedByTheCommand = try await retry() }
        #expect(isImportedByTheCommand, "the daemon's own retry was always earlier than the command's")
    }

    /// Fills a store, frees space and synchronizes.
    ///
    /// - Returns: whether the command imported what had failed.
    private func retry() async throws -> Bool {
        let daemon = try RunningDaemon()
        try await daemon.start(withStoreOf: 320 << 10)
        let title = String(repeating: "x", count: 100_000)
        let insert = try await daemon.command(["object", "insert", "Department", "title=\(title)"])
        #expect(insert.ending == .exited(75), "\(insert)")
        #expect(insert.errors.contains("the disk of the store is full"), "\(insert.errors)")

        var writer = RunningDaemon.foreignWriter()
        let id = "0190f1a2-0000-7000-8000-000000000001"
        try writer.write([[#"{"insert":"Department","id":"\#(id)","values":{"title":"\#(title)"}}"#]], to: daemon.logs)
        let full = try await daemon.command(["sync"])
        #expect(full.ending == .exited(75) && full.output.contains("Importing failed"), "\(full)")
        try await daemon.resizeStore(to: 16 << 20)
        let roomy = try await daemon.success(of: ["sync"])
        #expect(try await daemon.count("Department") == 1)
        try await daemon.success(of: ["status", "--check"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        return roomy.output.contains("imported 1 segment,")
    }
}
