import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The status says first whether all is well, and `--watch` follows it.
@Suite(.daemonTurns) struct StatusViewTests {
    /// Waits until a text is as it should be; asks the daemon meanwhile, when it runs.
    private func wait(
        for words: [String],
        in file: String,
        of daemon: RunningDaemon,
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        let end = Date(timeIntervalSinceNow: 120)
        while true {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if words.allSatisfy(text.contains) { return }
            try #require(Date() < end, "\(words) are not in \(text)", sourceLocation: place)
            _ = try await Answer(running: ["/bin/cat", "/proc/loadavg"], in: daemon.folder)
        }
    }

    @Test func theAnswerComesFirst() async throws {
        let daemon = try await RunningDaemon.started()
        let well = try await daemon.success(of: ["status"]).output.split(separator: "\n")
        #expect(well.first?.hasPrefix("well, running for ") == true, "\(well)")
        var writer = RunningDaemon.foreignWriter()
        let first = try writer.write([[RunningDaemon.insertion(1)]], to: daemon.folder.path("elsewhere"))
        try writer.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        #expect(FileManager.default.fileExists(atPath: first))
        // It waits for the first one, which is no problem for a minute.
        _ = try await daemon.command(["sync"])
        try await daemon.success(of: ["pause"])
        let paused = try await daemon.success(of: ["status"]).output.split(separator: "\n").map(String.init)
        #expect(paused.first?.hasPrefix("1 problem, paused for ") == true, "\(paused)")
        #expect(paused[1].hasPrefix("problem: Importing is paused"), "\(paused)")
        #expect(
            paused[2].hasPrefix("  since: ") && paused[3] == "  hint: To resume it: tributaryctl resume",
            "\(paused)"
        )
        #expect(paused[4].hasPrefix("state ") && paused.contains { $0.hasPrefix("writers ") }, "\(paused)")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
    }

    @Test func theStatusListsWhatCameAndWent() async throws {
        let daemon = try await RunningDaemon.started()
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try writer.write([[RunningDaemon.insertion(2)]], to: daemon.folder.path("elsewhere"))
        // It waits for the second one.
        try writer.write([[RunningDaemon.insertion(3)]], to: daemon.logs)
        try await daemon.success(of: ["object", "insert", "Employee", "name=Ann"])
        _ = try await daemon.command(["sync"])
        let lines = try await daemon.success(of: ["status"]).output.split(separator: "\n").map(String.init)
        for line in [
            "imported      1 transaction, 1 change since the start",
            "exported      1 transaction, 1 change since the start",
            "writers       1 other, 1 of them with transactions that are not here",
        ] { #expect(lines.contains(line), "\(lines)") }
        // The own segment may be among the applied ones.
        #expect(lines.contains { $0.hasPrefix("segments ") && $0.hasSuffix(" applied, 1 waiting") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("              \(writer.id): 2 transactions behind") }, "\(lines)")
    }

    /// Without a terminal there is a line for each change.
    ///
    /// The view outlives the daemon, and ends with SIGINT.
    @Test(.timeLimit(.minutes(10))) func aWatchGoesOnWhenTheDaemonIsStartedAgain() async throws {
        let daemon = try await RunningDaemon.started()
        let output = daemon.folder.path("watched")
        let watch = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["status", "--watch"],
            environment: ["TRIBUTARY_SOCKET": daemon.socket],
            output: output
        )
        defer { watch.send(SIGKILL) }
        try await wait(for: ["state: running\n"], in: output, of: daemon)
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try await wait(for: ["imported 1 transaction, 1 change\n"], in: output, of: daemon)
        _ = try await daemon.command(["pause"])
        try await wait(for: ["problem paused: Importing is paused"], in: output, of: daemon)
        try writer.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        try await wait(for: ["\(writer.id): 1 transaction behind\n"], in: output, of: daemon)
        _ = try await daemon.command(["resume"])
        try await wait(for: ["no more: paused\n", "\(writer.id): up to date\n"], in: output, of: daemon)
        #expect(await daemon.stop() == .exited(0))
        try await wait(for: ["the daemon does not answer"], in: output, of: daemon)
        let before = try String(contentsOfFile: output, encoding: .utf8)
        try await daemon.start()
        let end = Date(timeIntervalSinceNow: 120)
        var text = before
        while !text.dropFirst(before.count).contains("state: running\n"), Date() < end {
            _ = try await daemon.call(.get, "/v1/status")
            text = try String(contentsOfFile: output, encoding: .utf8)
        }
        #expect(text.dropFirst(before.count).contains("state: running\n"), "\(text)")
        #expect(!text.contains("\u{1B}"), "\(text)")
        watch.send(SIGINT)
        #expect(await watch.ending() == .signalled(SIGINT))
    }

    @Test(.timeLimit(.minutes(10))) func aTerminalIsWrittenOver() async throws {
        let daemon = try await RunningDaemon.started()
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try await daemon.success(of: ["sync"])
        let output = daemon.folder.path("screen")
        let command = "stty rows 12 columns 70; exec \(BuildFolder.executable("tributaryctl")) status --watch"
        let script = try ChildProcess(
            "/usr/bin/script",
            ["--quiet", "--flush", "--command", command, output],
            environment: ["TRIBUTARY_SOCKET": daemon.socket, "TERM": "xterm", "NO_COLOR": "1", "SHELL": "/bin/sh"]
        )
        defer { script.send(SIGKILL) }
        try await wait(
            for: ["\u{1B}[H", "well, running for ", "WRITER", writer.id, "transactions/s"],
            in: output,
            of: daemon
        )
        let screens = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: "\u{1B}[H")
            .dropFirst()
        for screen in screens.dropLast() {
            let lines = screen.components(separatedBy: "\u{1B}[K").dropLast()
            #expect(lines.count < 12, "\(screen)")
        }
        script.send(SIGTERM)
        _ = await script.ending()
    }
}
