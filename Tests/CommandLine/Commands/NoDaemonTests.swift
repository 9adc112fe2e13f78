import Foundation
import TestSupport
import Testing

/// The messages of the command when no daemon accepts its request.
@Suite(.daemonTurns) struct NoDaemonTests {
    @Test func aSocketThatIsClosedInsteadOfAnsweringIsUnavailable() async throws {
        let folder = try TemporaryFolder("reset")
        let path = folder.path("a.sock")
        let listener = try ClosingListener(path)
        let command = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["--socket", path, "status"],
            errors: folder.path("errors")
        )
        // The service manager closes the socket like this when the service that it starts for the connection keeps
        // failing.
        listener.closeWithAConnectionWaiting()
        #expect(await command.ending() == .exited(69))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        // The connection is reset or closed, depending on whether the request was being sent.
        #expect(errors.contains(path + ": Connection ") && errors.contains("without an answer"), "\(errors)")
    }

    @Test func aDaemonThatEndsInTheMiddleOfItsAnswerIsToldAsThat() async throws {
        let folder = try TemporaryFolder("cut")
        let listener = try ClosingListener(folder.path("a.sock"))
        let command = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["--socket", folder.path("a.sock"), "status"],
            errors: folder.path("errors")
        )
        listener.waitForConnection()
        _ = listener.readFromConnection(answering: "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"api\"")
        #expect(await command.ending() == .exited(75))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(errors.contains("has ended before its answer was complete"), "\(errors)")
    }

    /// The event loops would trap.
    @Test(arguments: [6, 8, 10, 12, 16]) func aLimitOfOpenFilesThatIsTooLowIsToldAsThat(limit: Int) async throws {
        let folder = try TemporaryFolder("files")
        try folder.write(EmployeeModel.text, to: "model.yaml")
        for arguments in [
            ["tributaryctl", "status", "--socket", "none"],
            ["tributaryd", "--store", "s.sqlite", "--model", "model.yaml", "--socket", "none"],
            ["tributaryd", "--check-config", "--store", "s.sqlite", "--model", "model.yaml", "--socket", "none"],
        ] {
            let shell = ["/bin/sh", "-c", "cd \"$0\" && ulimit -n \(limit) && exec \"$@\"", folder.path]
            let command = [BuildFolder.executable(arguments[0])] + arguments.dropFirst()
            let answer = try await Answer(running: shell + command, in: folder)
            #expect(answer.ending == .exited(78), "\(arguments)")
            #expect(
                answer.errors.contains("only \(limit) files may be open at a time, and "),
                "\(arguments): \(answer)"
            )
        }
    }

    @Test func theUnitOfASystemSocketIsNamed() async throws {
        let answer = try await Answer(
            of: ["--instance", "not-there", "status"],
            in: TemporaryFolder("unit"),
            environment: ["TRIBUTARY_SOCKET": ""]
        )
        #expect(answer.ending == .exited(69))
        #expect(answer.errors.contains("/run/tributary/not-there.sock: No such file or directory"), "\(answer)")
        #expect(answer.errors.contains("\nhint: journalctl -u tributaryd@not-there.service"), "\(answer)")
    }
}
