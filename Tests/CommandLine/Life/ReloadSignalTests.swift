import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// SIGHUP, which requests a reload of a service's configuration.
@Suite(.daemonTurns) struct ReloadSignalTests {
    @Test(.timeLimit(.minutes(30))) func itReadsTheConfigurationAgain() async throws {
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
        #expect(daemon.journal.contains("the old one stays"), "\(daemon.log)")
    }
}
