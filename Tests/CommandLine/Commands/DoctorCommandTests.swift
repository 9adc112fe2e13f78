import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// What `tributaryctl doctor` finds on a machine without systemd.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct DoctorCommandTests {
    private func findings(_ daemon: RunningDaemon, ending status: Int32) async throws -> [DoctorReport.Finding] {
        let answer = try await Answer(of: ["doctor", "--json", "--config", daemon.configuration], in: daemon.folder)
        #expect(answer.ending == .exited(status), "\(answer)")
        return try JSONDecoder().decode(DoctorReport.self, from: Data(answer.output.utf8)).findings
    }

    @Test func theProblemsOfTheRunningDaemonAreListed() async throws {
        let daemon = try await RunningDaemon.started()
        let whole = try await findings(daemon, ending: 0).filter { $0.subject == "status" }
        #expect(whole.map(\.level) == [.good], "\(whole)")
        try await daemon.success(of: ["pause"])
        let paused = try await findings(daemon, ending: 78).filter { $0.subject == "status" }
        #expect(paused.map(\.text) == ["paused: Importing is paused"], "\(paused)")
        let hint = "To resume it: tributaryctl resume"
        #expect(paused.first?.level == .problem && paused.first?.hint == hint, "\(paused)")
        let text = try await Answer(of: ["doctor", "--config", daemon.configuration], in: daemon.folder).output
        #expect(text.contains("status: paused: Importing is paused\n"), "\(text)")
        #expect(text.contains(" hint: \(hint)\n"), "\(text)")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(try await findings(daemon, ending: 0).allSatisfy { $0.subject != "status" })
    }

    /// Syncthing answers, and refuses the key.
    @Test(arguments: ["401 Unauthorized", "403 Forbidden"]) func aWrongKeyIsFound(_ status: String) async throws {
        let daemon = try RunningDaemon()
        let answer = "HTTP/1.1 \(status)\r\ncontent-length: 0\r\n\r\n"
        let syncthing = try Loopback.Listener(answering: Array(answer.utf8))
        try daemon.folder.write("wrong\n", to: "key")
        #expect(chmod(daemon.folder.path("key"), 0o600) == 0)
        let address = "http://127.0.0.1:\(syncthing.port)"
        try daemon.configure("replicator: {syncthing: {url: \"\(address)\", key_file: key, folder: tills}}")
        let found = try await findings(daemon, ending: 78).filter { $0.subject == "replicator" }
        let finding = try #require(found.first, "\(found)")
        let command = "syncthing cli config gui apikey get | sudo tee \(daemon.folder.path("key")) >/dev/null"
        #expect(finding.level == .problem && finding.text.contains(address), "\(finding)")
        #expect(finding.commands.count == 1 && finding.commands[0].hasSuffix(command), "\(finding)")
    }

    /// Each line of a refusal is a line of what is printed, and of the journal.
    @Test func aModelThatLosesValuesIsToldInLines() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(#"{"insert":"Employee","values":{"name":"Ann","salary":10}}"#)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let model = try String(contentsOfFile: daemon.folder.path("model.yaml"), encoding: .utf8)
        let less = model.split(separator: "\n").filter { !$0.contains("salary: {") }.joined(separator: "\n")
        try #require(less.count < model.count)
        try daemon.folder.write(less + "\n", to: "model.yaml")
        let text = try await Answer(of: ["doctor", "--config", daemon.configuration], in: daemon.folder).output
        #expect(text.contains(" would be lost:\n             Employee.salary: 1 value"), "\(text)")
        #expect(try await daemon.spawn().ending() == .exited(78))
        for output in [text, daemon.journal] {
            #expect(output.contains("Employee.salary: 1 value") && !output.contains("\\n"), "\(output)")
        }
    }

    /// The start, a check, a reload and the doctor name a file whose settings nobody reads.
    @Test func aFileThatIsNotReadIsNamed() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write("log: {level: debug}\n", to: "one.d/log.YAML")
        let file = daemon.folder.path("one.d/log.YAML")
        try await daemon.start()
        #expect(daemon.journal.contains(file), "\(daemon.journal)")
        let check = try await Answer(
            of: ["--check-config", "--config", daemon.configuration],
            to: "tributaryd",
            in: daemon.folder
        )
        #expect(check.ending == .exited(0) && check.output.contains("notice: '\(file)' is not read"), "\(check)")
        let notices = try await findings(daemon, ending: 0).filter { $0.level == .notice && $0.text.contains(file) }
        #expect(notices.count == 1)
        try daemon.folder.write("log: {level: debug}\n", to: "one.d/.log.yaml")
        let reload = try await daemon.success(of: ["reload"])
        let hidden = daemon.folder.path("one.d/.log.yaml")
        #expect(reload.errors.contains(hidden) && !reload.errors.contains(file), "\(reload)")
    }
}
