import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// A store whose file is moved away while the daemon has it open.
@Suite(.daemonTurns) struct MovedStoreTests {
    @Test(.timeLimit(.minutes(30))) func itIsAProblemUntilTheFileIsBack() async throws {
        let daemon = try RunningDaemon()
        try await daemon.start()
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
}
