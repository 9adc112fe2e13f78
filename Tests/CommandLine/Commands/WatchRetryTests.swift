import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A daemon that starts when the system has no inotify instance left.
@Suite(.daemonTurns) struct WatchRetryTests {
    /// The limit of a user namespace.
    private static let limit = "/proc/sys/user/max_inotify_instances"

    @Test func theFolderIsWatchedOnceTheSystemAllowsIt() async throws {
        let probe = try ChildProcess(
            "/usr/bin/unshare",
            ["--user", "--map-root-user", "sh", "-c", "echo 0 > \(Self.limit)"]
        )
        guard await probe.ending() == .exited(0) else { try Test.cancel("no user namespace of one's own here") }
        let daemon = try RunningDaemon()
        let command = "echo 0 > \(Self.limit) && exec \"$0\" \"$@\""
        try await daemon.start(through: "/usr/bin/unshare", ["--user", "--map-root-user", "sh", "-c", command])
        #expect(try await daemon.problems() == ["watch-failed"])
        let process = try #require(daemon.process)
        let raise = try ChildProcess(
            "/usr/bin/nsenter",
            ["--target", "\(process.processID)", "--user", "sh", "-c", "echo 8 > \(Self.limit)"]
        )
        #expect(await raise.ending() == .exited(0))
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        #expect(try await daemon.problems() == [])
    }
}
