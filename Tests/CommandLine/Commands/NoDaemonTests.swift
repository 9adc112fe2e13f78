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
                answer.errors.contains("only \(limit) files may be open at a time, but "),
                "\(arguments): \(answer)"
            )
        }
    }

    /// What systemd says is the answer of each verb, and none ends as if all were well.
    @Test(
        arguments: [
            ("failed", "Result=exit-code\nExecMainStatus=78", "is failed (exit status 78) since", "systemctl restart"),
            ("failed", "Result=oom-kill", "is failed (oom-kill) since", "systemctl restart"),
            ("inactive", "Result=success", "is inactive since", "systemctl start"),
            ("active", "Result=success", "is active since", "systemctl status"),
        ]
    )
    func eachVerbTellsTheStateOfTheService(
        _ state: String,
        _ properties: String,
        _ told: String,
        _ command: String
    ) async throws {
        let folder = try TemporaryFolder("service")
        let unit = "tributaryd@not-there.service"
        let since =
            state == "active"
            ? "ActiveEnterTimestamp=Mon 2026-11-30 18:55:31 UTC\nStateChangeTimestamp=Mon 2026-11-30 20:00:00 UTC"
            : "StateChangeTimestamp=Mon 2026-11-30 18:55:31 UTC"
        let lines = "LoadState=loaded\nActiveState=\(state)\n\(properties)\n\(since)"
        let script = "#!/bin/sh\n[ \"$1 $5\" = 'show \(unit)' ] && cat <<END\n\(lines)\nEND\n"
        // Written by a process of its own: a program that is forked meanwhile would hold the file open, which nobody can run then.
        let writing = try ChildProcess(
            "/bin/sh",
            ["-c", "printf %s \"$1\" >\"$2\" && chmod 755 \"$2\"", "sh", script, folder.path("systemctl")]
        )
        #expect(await writing.ending() == .exited(0))
        // For root, only the system's folders have programs.
        let mount = #"mount --bind "$1" /usr/local/sbin; shift; exec "$@""#
        let place = [
            "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", mount, "sh", folder.path,
        ]
        var answers: Set<String> = []
        for verb in [
            ["status"], ["status", "--check"], ["status", "--watch"], ["wait"], ["sync"], ["pause"], ["resume"],
            ["segment", "list"], ["writer", "list"], ["model"], ["object", "list", "Employee"],
            ["object", "insert", "Employee"], ["history"], ["watch"], ["conflict", "list"], ["digest"], ["check"],
            ["backup", folder.path("backup")], ["compact"], ["replicator", "check"], ["config"], ["reload"],
            ["log-level"], ["metrics"], ["page"], ["shutdown"], ["version"], ["status", "--json"],
        ] {
            let command = [BuildFolder.executable("tributaryctl")] + verb + ["--instance", "not-there"]
            let answer = try await Answer(
                running: (getuid() == 0 ? place : []) + command,
                in: folder,
                environment: ["TRIBUTARY_SOCKET": "", "PATH": "\(folder.path):/usr/bin:/bin"]
            )
            #expect(answer.ending == .exited(69), "\(verb): \(answer)")
            answers.insert(answer.errors)
        }
        let answer = try #require(answers.first)
        #expect(answers.count == 1, "\(answers)")
        #expect(answer.contains("\n\(unit) \(told) Mon 2026-11-30 18:55:31 UTC\n"), "\(answer)")
        #expect(answer.contains("\(command) \(unit)"), "\(answer)")
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
