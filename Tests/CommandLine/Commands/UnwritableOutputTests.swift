import TestSupport
import Testing

/// Commands whose output cannot be written.
@Suite(.daemonTurns) struct UnwritableOutputTests {
    @Test func itIsSaidWhyWithTheStatusOfInputAndOutput() async throws {
        let daemon = try await RunningDaemon.started()
        let offline = ["model", "diff", daemon.folder.path("model.yaml"), daemon.folder.path("model.yaml")]
        for arguments in [
            ["object", "list", "Employee", "--count"], ["status"], ["status", "--json"], ["metrics"], ["version"],
        ].map({ $0 + ["--socket", daemon.socket] }) + [offline] {
            let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full", BuildFolder.executable("tributaryctl")]
            let answer = try await Answer(running: shell + arguments, in: daemon.folder)
            #expect(answer.ending == .exited(74), "\(arguments)")
            let told = "tributaryctl: standard output cannot be written: No space left on device\n"
            #expect(answer.errors == told, "\(arguments)")
        }
    }

    @Test func aReaderThatHasDisconnectedIsNoProblem() async throws {
        let daemon = try await RunningDaemon.started()
        // The reader has closed the pipe before the first line.
        let command = "{ sleep 0; exec \"$0\" metrics --socket \"$1\"; } | true; echo done >&2"
        let shell = ["/bin/sh", "-c", command, BuildFolder.executable("tributaryctl"), daemon.socket]
        let answer = try await Answer(running: shell, in: daemon.folder)
        #expect(answer.ending == .exited(0) && answer.errors == "done\n", "\(answer)")
    }
}
