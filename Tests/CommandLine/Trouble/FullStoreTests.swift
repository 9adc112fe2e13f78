import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A store on a full disk that has free space again.
@Suite(.daemonTurns) struct FullStoreTests {
    /// What a file system keeps for the superuser is no room for the daemon.
    @Test(.timeLimit(.minutes(30))) func reservedBlocksAreNoRoom() async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let library = try await PreloadedLibrary("volume", in: daemon.folder)
        try daemon.folder.write("\(64 << 10)", to: "volume")
        try await daemon.start(
            through: "/usr/bin/env",
            ["LD_PRELOAD=\(library.path)", "TRIBUTARY_VOLUME=\(daemon.folder.path("volume"))"]
        )
        // A status does not wait long for a disk.
        var disks: [[String: Any]]?
        while disks == nil { disks = try await daemon.call(.get, "/v1/status").1["disks"] as? [[String: Any]] }
        #expect(disks?.count == 1 && disks?[0]["freeBytes"] as? Int == 64 << 10, "\(disks ?? [])")
        #expect(disks?[0]["totalBytes"] as? Int == 4 << 30, "\(disks ?? [])")
        #expect(try await daemon.problems().contains("disk-low"))
        try await daemon.expect(75, of: ["backup", daemon.folder.path("full.sqlite")], errors: "No space")
        try daemon.folder.write("\(1 << 30)", to: "volume")
        try await daemon.success(of: ["backup", daemon.folder.path("roomy.sqlite")])
    }

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
        let insert = try await daemon.expect(75, of: ["object", "insert", "Department", "title=\(title)"])
        #expect(insert.errors.contains("the disk of the store is full"), "\(insert.errors)")

        var writer = RunningDaemon.foreignWriter()
        let id = "0190f1a2-0000-7000-8000-000000000001"
        try writer.write([[#"{"insert":"Department","id":"\#(id)","values":{"title":"\#(title)"}}"#]], to: daemon.logs)
        try await daemon.expect(75, of: ["sync"], output: "Importing failed")
        try await daemon.resizeStore(to: 16 << 20)
        let roomy = try await daemon.success(of: ["sync"])
        #expect(try await daemon.count("Department") == 1)
        try await daemon.success(of: ["status", "--check"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        return roomy.output.contains("imported 1 segment,")
    }
}
