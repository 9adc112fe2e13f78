import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("Starting, reloading and stopping the daemon", .daemonTurns)
struct DaemonLifeTests {
    @Test("a second daemon on the same store ends with 75 and names the first", .timeLimit(.minutes(30)))
    func second() async throws {
        let daemon = try await RunningDaemon.started()
        let second = try daemon.spawn()
        #expect(await second.ending() == .exited(75))
        let first = try #require(daemon.process?.processID)
        #expect(daemon.journal.contains("pid \(first) host "), "\(daemon.log)")
        #expect(try await daemon.call(.get, "/v1/health").0 == 200)
    }

    @Test("a socket left by a daemon that was killed is taken over", .timeLimit(.minutes(30)))
    func staleSocket() async throws {
        let daemon = try await RunningDaemon.started()
        daemon.kill()
        _ = await daemon.process?.ending()
        #expect(FileManager.default.fileExists(atPath: daemon.socket))
        let nobody = try await daemon.expect(69, of: ["status"])
        #expect(nobody.errors.contains(daemon.socket))
        try await daemon.start()
    }

    @Test("a bad configuration ends with 78 and says where", .timeLimit(.minutes(30)))
    func badConfiguration() async throws {
        let daemon = try RunningDaemon()
        try daemon.configure("colour: red")
        let process = try daemon.spawn()
        #expect(await process.ending() == .exited(78))
        #expect(daemon.journal.contains("one.yaml:8: colour: "), "\(daemon.log)")
    }

    @Test("an emptied list of keys ends a start with 78 and says what to do", .timeLimit(.minutes(30)))
    func emptiedTrustList() async throws {
        let daemon = try await RunningDaemon.started()
        let other = "0190f1a2-0000-7000-8000-000000000009"
        let key = String(repeating: "ab", count: 32)
        #expect(try await daemon.call(.post, "/v1/writers/\(other)/revoke", #"{"key":"\#(key)"}"#).0 == 200)
        #expect(await daemon.stop() == .exited(0))
        let list = "\(daemon.store)-trust"
        let former = try Data(contentsOf: URL(fileURLWithPath: list))
        let file = try #require(FileHandle(forUpdatingAtPath: list))
        try file.truncate(atOffset: 0)
        let process = try daemon.spawn()
        #expect(await process.ending() == .exited(78))
        #expect(daemon.journal.contains("'\(list)': its last line is not the end line of the 0 keys"), "\(daemon.log)")
        let line = daemon.journal.split(separator: "\n").last { $0.contains("bring back a copy of the file") }
        // The whole rest of the line is the command: it is copied.
        #expect(line?.hasSuffix(" >> \(list)") == true, "\(daemon.log)")
        try file.write(contentsOf: former)
        try file.close()
        try await daemon.start()
        let keys = try await daemon.command(["writer", "list", "--json"]).output
        #expect(keys.contains(key) && keys.contains("revoked"), "\(keys)")
    }

    @Test(
        "reload takes what is good, keeps the old when it is bad, and tells what needs a restart",
        .timeLimit(.minutes(30))
    )
    func reload() async throws {
        let daemon = try await RunningDaemon.started()
        try daemon.configure("history: {keep: 5d}\nlog: {level: debug}")
        let good = try await daemon.success(of: ["reload"])
        #expect(good.output.contains("history.keep") && good.output.contains("log.level"))
        #expect(try await daemon.command(["log-level"]).output == "debug\n")
        try daemon.configure("history: {keep: 5d}\nlog: {level: debug}", name: "till-13")
        #expect(try await daemon.command(["reload", "--json"]).output.contains("\"name\""))
        try await daemon.save(#"{"insert":"Department","values":{"title":"R&D"}}"#)
        try await daemon.success(of: ["sync"])
        #expect(try await daemon.command(["writer", "list"]).output.contains("till-13"))
        #expect(try daemon.exportedText().contains("\"name\":\"till-13\""))
        try daemon.configure("history: {keep: 5}")
        let bad = try await daemon.expect(78, of: ["reload"])
        #expect(bad.errors.contains("one.yaml:8") && bad.errors.contains("history.keep"), "\(bad.errors)")
        let shown = try await daemon.command(["config", "show"])
        #expect(shown.output.contains("5d"))
        try FileManager.default.createDirectory(atPath: daemon.folder.path("other"), withIntermediateDirectories: true)
        try daemon.reconfigure("logs: \(daemon.logs)", to: "logs: \(daemon.folder.path("other"))")
        try daemon.reconfigure("history: {keep: 5}", to: "")
        let restart = try await daemon.command(["reload", "--json"])
        #expect(restart.output.contains("\"restartNeeded\":[\"logs\"]"), "\(restart.output)")
        #expect(try await daemon.call(.get, "/v1/status").1["restartNeeded"] as? Bool == true)
        // Another reload changes nothing about it, until the setting has its former value.
        try daemon.reconfigure("name: \"one\"", to: "name: \"till-14\"")
        let again = try await daemon.command(["reload", "--json"])
        #expect(again.output.contains("\"name\"") && again.output.contains("\"restartNeeded\":[\"logs\"]"), "\(again)")
        #expect(try await daemon.call(.get, "/v1/status").1["restartNeeded"] as? Bool == true)
        #expect(try await daemon.problems().contains("restart-needed"))
        try daemon.reconfigure("logs: \(daemon.folder.path("other"))", to: "logs: \(daemon.logs)")
        let back = try await daemon.command(["reload", "--json"])
        #expect(back.output.contains("\"restartNeeded\":[]"), "\(back)")
        #expect(try await daemon.call(.get, "/v1/status").1["restartNeeded"] as? Bool == false)
    }

    @Test("SIGHUP reads the configuration again, unless it is bad", .timeLimit(.minutes(30)))
    func reloadSignal() async throws {
        let daemon = try await RunningDaemon.started()
        try daemon.configure("log: {level: warning}")
        // An unhandled signal would end the daemon, and with it this test.
        let heard = try await daemon.hears("READY=1", after: SIGHUP)
        try #require(heard, "\(daemon.log)")
        #expect(try await daemon.call(.get, "/v1/log-level").1["level"] as? String == "warning")
        try daemon.configure("log: {level: loud}")
        let heardAgain = try await daemon.hears("READY=1", after: SIGHUP)
        #expect(heardAgain, "\(daemon.log)")
        #expect(try await daemon.call(.get, "/v1/log-level").1["level"] as? String == "warning")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(daemon.journal.contains("the old configuration stays"), "\(daemon.log)")
    }

    @Test("a pause survives a restart, shows as a problem, and refuses sync", .timeLimit(.minutes(30)))
    func pause() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.success(of: ["status", "--check"])
        try await daemon.success(of: ["pause"])
        #expect(await daemon.stop() == .exited(0))
        try await daemon.start()
        #expect(try await daemon.call(.get, "/v1/status").1["state"] as? String == "paused")
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(75))
        #expect(try await daemon.command(["sync"]).ending == .exited(75))
        try await daemon.success(of: ["resume"])
        try await daemon.success(of: ["sync"])
        try await daemon.success(of: ["shutdown"])
        #expect(await daemon.process?.ending() == .exited(0))
    }
}
