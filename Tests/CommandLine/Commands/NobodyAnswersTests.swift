import Foundation
import TestSupport
import Testing

/// What the command says when no daemon takes its request.
@Suite(.daemonTurns) struct NobodyAnswersTests {
    @Test func aSocketThatIsClosedInsteadOfAnsweringIsUnavailable() async throws {
        let folder = try TemporaryFolder("reset")
        let path = folder.path("a.sock")
        let listener = try ClosingListener(path)
        let command = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["--socket", path, "status"],
            errors: folder.path("errors")
        )
        // As the service manager does when the service that it started for the connection keeps failing.
        listener.closeWithAConnectionWaiting()
        #expect(await command.ending() == .exited(69))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        // Reset or closed, as the request was under way or not.
        #expect(errors.contains(path + ": Connection ") && errors.contains("without an answer"), "\(errors)")
    }

    @Test func theUnitOfASystemSocketIsNamed() async throws {
        let folder = try TemporaryFolder("unit")
        let command = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["--instance", "not-there", "status"],
            environment: ["TRIBUTARY_SOCKET": ""],
            errors: folder.path("errors")
        )
        #expect(await command.ending() == .exited(69))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(errors.contains("/run/tributary/not-there.sock: No such file or directory"), "\(errors)")
        #expect(errors.contains("\nhint: journalctl -u tributaryd@not-there.service"), "\(errors)")
    }
}
