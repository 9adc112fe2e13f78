import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A store whose file is moved away while the daemon has it open, or that the daemon may not write.
@Suite(.daemonTurns) struct MovedStoreTests {
    @Test(.timeLimit(.minutes(30))) func itIsAProblemUntilTheFileIsBack() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.success(of: ["status", "--check"])
        let away = daemon.folder.path("away.sqlite")
        try FileManager.default.moveItem(atPath: daemon.store, toPath: away)
        #expect(try await daemon.problems() == ["store-gone"])
        #expect(try await daemon.command(["sync"]).ending == .exited(75))
        try FileManager.default.moveItem(atPath: away, toPath: daemon.store)
        try await daemon.success(of: ["status", "--check"])
    }

    /// The commands of the hint save everything, also a change from after the removal.
    @Test(.timeLimit(.minutes(30))) func aRemovedStoreIsRestoredAsTheHintSays() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(#"{"insert":"Department","values":{"title":"before"}}"#)
        for end in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: daemon.store + end) }
        try await daemon.save(#"{"insert":"Department","values":{"title":"after"}}"#)
        let problems = try await daemon.call(.get, "/v1/status").1["problems"] as? [[String: Any]]
        let hint = try #require(problems?.first?["hint"] as? String)
        let backup = daemon.folder.path("backup.sqlite")
        let commands = hint.matches(of: /tributaryctl ([^;]+)/).map { command in
            command.1.split(separator: " ").map { $0 == "BACKUP" ? backup : String($0) }
        }
        try #require(commands.map(\.first) == ["backup", "restore"], "\(hint)")
        try await daemon.success(of: commands[0])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(!FileManager.default.fileExists(atPath: daemon.store))
        try await daemon.success(of: commands[1])
        #expect(try PlainSQL(path: daemon.store).value("SELECT count(*) FROM Department") == "2")
        try await daemon.start()
        try await daemon.success(of: ["status", "--check"])
        #expect(try await daemon.count("Department") == 2)
    }

    /// The daemon runs without the capability that lets root write all files.
    @Test(.timeLimit(.minutes(30))) func aStoreThatMayNotBeWrittenIsNotStarted() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(chmod(daemon.store, 0o440) == 0)
        let plain = ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        for more in [["--check-config"], []] {
            let command = [BuildFolder.executable("tributaryd"), "--config", daemon.configuration] + more
            let answer = try await Answer(running: (getuid() == 0 ? plain : []) + command, in: daemon.folder)
            let told = "the store's file '\(daemon.store)' cannot be written: Permission denied"
            #expect(answer.ending == .exited(78) && answer.errors.contains(told), "\(answer)")
        }
    }
}
