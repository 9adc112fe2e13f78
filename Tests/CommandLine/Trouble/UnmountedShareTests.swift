import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A log folder whose share is not mounted, so that an empty folder is at its path.
@Suite(.daemonTurns) struct UnmountedShareTests {
    private static func insert(_ title: String) -> String {
        #"{"insert":"Department","values":{"title":"\#(title)"}}"#
    }

    @Test(.timeLimit(.minutes(30))) func savedChangesWaitForTheShare() async throws {
        let daemon = try RunningDaemon()
        let share = daemon.folder.path("share")
        try await daemon.start()
        try await daemon.save(Self.insert("first"))
        try await daemon.success(of: ["sync"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")

        try FileManager.default.moveItem(atPath: daemon.logs, toPath: share)
        try FileManager.default.createDirectory(atPath: daemon.logs, withIntermediateDirectories: false)
        try await daemon.start()
        try await daemon.save(Self.insert("second"))
        try await daemon.expect(75, of: ["sync"], errors: "another folder")
        #expect(try await daemon.problems() == ["logs-missing"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.logs) == [])

        try FileManager.default.removeItem(atPath: daemon.logs)
        try FileManager.default.moveItem(atPath: share, toPath: daemon.logs)
        try await daemon.success(of: ["sync"])
        try await daemon.success(of: ["status", "--check"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")

        let peer = try RunningDaemon("two", in: daemon.folder)
        try await peer.start()
        try await peer.success(of: ["sync"])
        #expect(try await peer.count("Department") == 2)
    }

    /// The hint for a folder that is to be initialized again has the promised effect.
    @Test(.timeLimit(.minutes(30))) func theHintLetsAFolderBeginAnew() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(Self.insert("first"))
        try await daemon.success(of: ["sync"])
        for name in try FileManager.default.contentsOfDirectory(atPath: daemon.logs) {
            try FileManager.default.removeItem(atPath: daemon.logs + "/" + name)
        }
        try await daemon.save(Self.insert("second"))
        #expect(try await daemon.command(["sync"]).ending == .exited(75))
        let problems = try await daemon.call(.get, "/v1/status").1["problems"] as? [[String: Any]]
        let hint = try #require(problems?.first?["hint"] as? String)
        let command = try #require(hint.components(separatedBy: "tributaryctl ").last)
        #expect(command == "check --repair", "\(hint)")
        _ = try await daemon.command(command.split(separator: " ").map(String.init))
        try await daemon.success(of: ["sync"])
        let text = try daemon.exportedText()
        #expect(text.contains("first") && text.contains("second"))
    }
}
