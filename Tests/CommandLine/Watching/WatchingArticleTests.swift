import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The article says what there is: its commands work, its metrics exist, and its entries of the journal have these fields.
@Suite(.daemonTurns) struct WatchingArticleTests {
    @Test(arguments: ["status", "page", "metrics"]) func theCommandsWork(_ name: String) async throws {
        let block = try #require(try Article("Watching").block(after: "<!-- test: \(name) -->"))
        let daemon = try await RunningDaemon.started()
        let lines = block.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("tributaryctl ") })
        for line in lines {
            let answer = try await Answer(
                running: ["/bin/sh", "-c", "cd \(daemon.folder.path) && exec \(line)"],
                in: daemon.folder,
                environment: ["PATH": "\(BuildFolder.programs):/usr/bin:/bin", "TRIBUTARY_SOCKET": daemon.socket]
            )
            #expect(answer.ending == .exited(0), "\(line): \(answer)")
        }
        if name == "page" {
            #expect(FileManager.default.fileExists(atPath: daemon.folder.path("tributary.html")))
        }
    }

    @Test func theMetricsAreThose() async throws {
        let daemon = try RunningDaemon()
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        // A problem, so that there is a series by code.
        _ = try await daemon.command(["pause"])
        let text = try await daemon.success(of: ["metrics"]).output
        let given = Set(text.matches(of: /[#] TYPE (\S+) \w+/).map { String($0.1) })
        let rows = try Article("Watching").rows(under: "Metrics and alerts")
        let cells = rows.map { $0.joined(separator: " ") }.joined(separator: "\n")
        let named = Set(cells.matches(of: /`((?:tributary|process)_\w+)`/).map { String($0.1) })
        // There is a series for each code of which there is a notice.
        #expect(named.subtracting(given) == ["tributary_notices_by_code"])
        #expect(given.subtracting(named).isEmpty)
    }

    /// Each message is a text of the sources, and its fields are named within the same call.
    @Test func theJournalHasTheseEntries() throws {
        let folder = PackageFolder.path("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        let sources = try files.filter { $0.hasSuffix(".swift") }.map { try Article.text(of: "Sources/\($0)") }
        let rows = try Article("Watching").rows(under: "The journal")
        #expect(rows.count > 15)
        for row in rows {
            let message = row[0].replacing("`", with: "")
            let source = try #require(sources.first { $0.contains("\"\(message)\"") }, "\(message)")
            let fields = row[2].matches(of: /`(\w+)`/).map { String($0.1) }
            #expect(!fields.isEmpty)
            // The fields of counts are made in one place for all entries that have them.
            let counts = try Article.text(of: "Sources/TributarySync/Service/ActivityJournal.swift")
            for field in fields {
                #expect((source + counts).contains("\"\(field)\""), "\(message): \(field)")
            }
        }
    }
}
