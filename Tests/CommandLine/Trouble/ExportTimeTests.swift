import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The time at which a save is exported to other replicas.
@Suite(.daemonTurns) struct ExportTimeTests {
    @Test(.timeLimit(.minutes(30)))
    func theFirstSaveGoesOutAtOnceAndThoseThatFollowTogether() async throws {
        let one = try RunningDaemon("one")
        let two = try RunningDaemon("two", in: one.folder)
        try one.reconfigure("export: {debounce: 10ms}", to: "export: {debounce: 1h}")
        try await one.start()
        try await two.start()

        // The limit of the wait is less than the hour of the export timer: a segment in that time was exported at once.
        var arrived: String?
        var inserted: ChildProcess.Ending?
        _ = try await two.client.events(AdminCall(.get, .changes)) { event in
            if event.event == "hello" {
                inserted = try await one.command(["object", "insert", "Employee", "name=First"]).ending
            }
            if event.event == "storeDidUpdate" { arrived = event.data }
            return arrived == nil
        }
        #expect(inserted == .exited(0))
        #expect(arrived?.contains("Employee") == true)
        for name in ["Second", "Third"] {
            try await one.success(of: ["object", "insert", "Employee", "name=\(name)"])
        }
        let before = try one.exportedText()
        #expect(before.contains("First") && !before.contains("Second"), "\(before)")
        #expect(await one.stop() == .exited(0), "\(one.log)")
        #expect(await two.stop() == .exited(0), "\(two.log)")
        let files = FileManager.default.enumerator(atPath: one.logs)?.compactMap { $0 as? String } ?? []
        #expect(files.count { $0.hasSuffix(".tlog") } == 2, "the second and the third go out together: \(files)")
        #expect(try one.exportedText().contains("Third"))
    }
}
