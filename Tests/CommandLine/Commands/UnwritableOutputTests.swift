import Foundation
import TestSupport
import Testing

/// Commands whose output cannot be written.
@Suite(.daemonTurns) struct UnwritableOutputTests {
    private func run(_ arguments: [String], to output: String, _ folder: TemporaryFolder) async throws
        -> (ending: ChildProcess.Ending, errors: String)
    {
        let errors = folder.path("errors-\(UUID().uuidString)")
        let process = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            arguments,
            output: output,
            errors: errors
        )
        return (await process.ending(), try String(contentsOfFile: errors, encoding: .utf8))
    }

    @Test func itIsSaidWhyWithTheStatusOfInputAndOutput() async throws {
        let daemon = try await RunningDaemon.started()
        let offline = ["model", "diff", daemon.folder.path("model.yaml"), daemon.folder.path("model.yaml")]
        for arguments in [
            ["object", "list", "Employee", "--count"], ["status"], ["status", "--json"], ["metrics"], ["version"],
        ].map({ $0 + ["--socket", daemon.socket] }) + [offline] {
            let (ending, errors) = try await run(arguments, to: "/dev/full", daemon.folder)
            #expect(ending == .exited(74), "\(arguments)")
            #expect(
                errors == "tributaryctl: standard output cannot be written: No space left on device\n",
                "\(arguments)"
            )
        }
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }

    @Test func aReaderThatHasDisconnectedIsNoProblem() async throws {
        let daemon = try await RunningDaemon.started()
        // The reader has closed the pipe before the first line.
        let command = "{ sleep 0; exec \"$0\" metrics --socket \"$1\"; } | true; echo done >&2"
        let errors = daemon.folder.path("errors")
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", command, BuildFolder.executable("tributaryctl"), daemon.socket],
            errors: errors
        )
        #expect(await process.ending() == .exited(0))
        #expect(try String(contentsOfFile: errors, encoding: .utf8) == "done\n")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}
