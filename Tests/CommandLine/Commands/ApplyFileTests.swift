import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// `tributaryctl apply` reads changes from files, pipes and standard input, and reports mistakes in its arguments.
@Suite(.daemonTurns) struct ApplyFileTests {
    @Test(.timeLimit(.minutes(30))) func aPipeIsReadAsAFileIs() async throws {
        let daemon = try await RunningDaemon.started()
        let pipe = daemon.folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // Opening the pipe waits until a reader opens it.
        Thread.detachNewThread {
            let text = #"{"insert":"Department","values":{"title":"R&D"}}"#
            try? FileHandle(forWritingTo: URL(fileURLWithPath: pipe)).write(contentsOf: Data(text.utf8))
        }
        try await daemon.success(of: ["apply", pipe])
    }

    @Test(.timeLimit(.minutes(30))) func anUnreadableFileIsReportedWithTheReason() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.expect(66, of: ["apply", daemon.folder.path("absent")], errors: "No such file")
        let folder = try await daemon.command(["apply", daemon.logs])
        #expect(folder.ending == .exited(74) && !folder.errors.contains("Cocoa"), "\(folder)")
    }

    @Test(.timeLimit(.minutes(30))) func thePlaceInAPredicateIsShownOnce() async throws {
        let daemon = try await RunningDaemon.started()
        for arguments in [["--where", "salary >"], ["--sort", "salary,-"]] {
            let list = try await daemon.expect(64, of: ["object", "list", "Employee"] + arguments)
            #expect(list.errors.count { $0 == "^" } == 1 && !list.errors.contains("\\n"), "\(list.errors)")
        }
    }
}
