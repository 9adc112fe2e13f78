import Foundation
import TestSupport
import Testing
import TributaryAdmin

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
