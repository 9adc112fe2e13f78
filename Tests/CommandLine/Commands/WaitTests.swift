import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// The initial import has an end, which programs can wait for.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct WaitTests {
    /// A daemon that was started while importing is paused, with a segment in its log folder.
    ///
    /// Its timer does not let the main context merge an import for an hour.
    private func pausedDaemon() async throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        try daemon.reconfigure("debounce: 20ms, ceiling: 100ms", to: "debounce: 1h, ceiling: 1h")
        try await daemon.start()
        try await daemon.success(of: ["wait"])
        try await daemon.success(of: ["pause"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try await daemon.start()
        return daemon
    }

    private func waiting(for daemon: RunningDaemon, output: String) throws -> ChildProcess {
        try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["wait", "--json"],
            environment: ["TRIBUTARY_SOCKET": daemon.socket],
            output: daemon.folder.path(output)
        )
    }

    @Test func itEndsWithTheInitialImport() async throws {
        let daemon = try await pausedDaemon()
        let status = try await daemon.command(["status"])
        #expect(status.output.contains("the first import is not complete yet"), "\(status.output)")
        let wait = try waiting(for: daemon, output: "waited")
        var events: [String] = []
        let answer = try await daemon.client.events(AdminCall(.get, .changes)) { event in
            events.append(event.event)
            if event.event == "hello" {
                #expect(event.data.contains(#""initialImportComplete":false"#), "\(event.data)")
                _ = try await daemon.call(.post, "/v1/resume")
            }
            return event.event != "initialImport"
        }
        #expect(answer.status == 200 && events.last == "initialImport", "\(events)")
        #expect(await wait.ending() == .exited(0))
        let text = try String(contentsOfFile: daemon.folder.path("waited"), encoding: .utf8)
        #expect(text == "{\"initialImportComplete\":true}\n")
        #expect(try await daemon.count("Employee") == 1)
        #expect(daemon.journal.contains("the initial import is complete"), "\(daemon.log)")
    }

    @Test func itWarnsOfWhatIsHeld() async throws {
        let daemon = try RunningDaemon()
        let ahead = HybridClock(WallTime(Date()).later(by: .seconds(10 * 86_400)))
        let header = TransactionHeader(sequence: 1, clock: ahead, changeCount: 0)
        let segment = SegmentText(
            writer: UniqueID(high: 1, low: 2),
            [LogTransaction(header: header, changes: [])]
        )
        let place = URL(fileURLWithPath: daemon.logs + "/" + segment.name.path)
        let parent = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(segment.bytes()).write(to: place)
        try await daemon.start()
        let waited = try await daemon.success(of: ["wait"])
        #expect(waited.errors.contains("not imported: \(segment.name.path): held."), "\(waited.errors)")
        #expect(waited.errors.contains("tributaryctl segment accept \(segment.name.path)"), "\(waited.errors)")
    }

    @Test func itFailsWhenTheDaemonStops() async throws {
        let daemon = try await pausedDaemon()
        let wait = try waiting(for: daemon, output: "waited")
        // The daemon counts the clients that follow its changes.
        while try await !daemon.command(["metrics"]).output.contains("tributary_admin_streams 1") {}
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(await wait.ending() == .exited(75))
    }
}
