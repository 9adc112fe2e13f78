import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// A store whose file is moved away while the daemon has it open, or that the daemon may not write.
@Suite(.daemonTurns) struct MovedStoreTests {
    @Test(.timeLimit(.minutes(30))) func itIsAProblemUntilTheFileIsBack() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(0))
        let away = daemon.folder.path("away.sqlite")
        try FileManager.default.moveItem(atPath: daemon.store, toPath: away)
        let status = try await daemon.call(.get, "/v1/status").1
        let problems = try #require(status["problems"] as? [[String: Any]])
        #expect(problems.map { $0["code"] as? String } == ["store-gone"], "\(problems)")
        #expect(try await daemon.command(["sync"]).ending == .exited(75))
        try FileManager.default.moveItem(atPath: away, toPath: daemon.store)
        #expect(try await daemon.command(["status", "--check"]).ending == .exited(0))
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }

    /// The daemon runs without the capability that lets root write all files.
    @Test(.timeLimit(.minutes(30))) func aStoreThatMayNotBeWrittenIsNotStarted() async throws {
        let daemon = try await RunningDaemon.started()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(chmod(daemon.store, 0o440) == 0)
        let program = BuildFolder.executable("tributaryd")
        for more in [["--check-config"], []] {
            let arguments = ["--config", daemon.configuration] + more
            let errors = daemon.folder.path("refused.log")
            let process =
                getuid() == 0
                ? try ChildProcess(
                    "/usr/bin/setpriv",
                    ["--bounding-set=-dac_override,-dac_read_search", program] + arguments,
                    errors: errors
                ) : try ChildProcess(program, arguments, errors: errors)
            #expect(await process.ending() == .exited(78))
            let text = try String(contentsOfFile: errors, encoding: .utf8)
            #expect(text.contains("the store's file '\(daemon.store)' cannot be written: Permission denied"), "\(text)")
        }
    }
}
