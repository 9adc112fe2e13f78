import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The texts for administrators about problems, writers, requests and events.
@Suite(.daemonTurns) struct StatusTextTests {
    private static let ann = "0190f1a2-0000-7000-8000-000000000001"
    private static let insert = #"{"insert":"Employee","id":"\#(ann)","values":{"name":"Ann"}}"#
    private static let writer = "5f0c0000-0000-4000-8000-00000000000a"

    private static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

    @Test func syncTellsOfAHeldSegmentAndAcceptWarns() async throws {
        let daemon = try RunningDaemon()
        var ahead = ForeignWriter(id: Self.writer, milliseconds: Self.now + 7_200_000)
        try ahead.write([[Self.insert]], to: daemon.logs)
        try await daemon.start()
        let path = "\(Self.writer)/0000000000000001-0000000000000001.tlog"
        let held = try await daemon.expect(75, of: ["sync"])
        #expect(held.output.contains("held") && held.output.contains("since: "), "\(held.output)")
        #expect(held.output.contains("tributaryctl segment accept \(path)\n"), "\(held.output)")
        #expect(held.output.contains("writer: \(Self.writer)"), "\(held.output)")
        try await daemon.expect(75, of: ["sync", "--json"], output: "segments-held")

        let retried = try await daemon.command(["segment", "retry", path])
        #expect(
            retried.ending == .exited(0) && retried.output.hasPrefix("read again, now held. The clock"),
            "\(retried)"
        )
        #expect(retried.output.contains("tributaryctl segment accept \(path)\n"), "\(retried.output)")

        let accepted = try await daemon.success(of: ["segment", "accept", path])
        #expect(accepted.output.contains("accepted by ") && accepted.output.contains("win over"), "\(accepted.output)")
        #expect(accepted.output.contains("wait on other machines until they have applied"), "\(accepted.output)")
        #expect(daemon.journal.contains("held segment is accepted  by="), "\(daemon.log)")
        #expect(try await daemon.command(["segment", "retry", path]).output == "read again, now applied\n")
        try await daemon.success(of: ["sync"])
    }

    @Test func syncTellsOfAForkAndOfAFolderThatTakesNothing() async throws {
        let daemon = try RunningDaemon()
        var one = ForeignWriter(id: Self.writer, milliseconds: Self.now)
        var other = one
        try one.write([[Self.insert]], to: daemon.logs)
        try other.write([[Self.insert.replacing("Ann", with: "Bob")], []], to: daemon.logs)
        try await daemon.start()
        let forked = try await daemon.expect(75, of: ["sync"], output: "Two machines have written as")
        #expect(forked.output.contains("since: "), "\(forked.output)")
        let writers = try await daemon.command(["writer", "list"])
        #expect(
            writers.output.split(separator: "\n").contains { $0.hasPrefix(Self.writer) && $0.contains("forked") },
            "\(writers)"
        )

        // The store continues as a fresh writer, but not again within 10 s, 20 s and so on.
        var full = try await daemon.command(["sync"])
        var status = try await daemon.command(["status"])
        for number in 1...6 where !status.output.contains("were not exported") {
            let own = try await daemon.writer()
            try? FileManager.default.removeItem(atPath: "\(daemon.logs)/\(own)")
            try daemon.folder.write("no folder", to: "logs/\(own)")
            _ = try await daemon.command(["object", "insert", "Employee", "name=N\(number)"])
            full = try await daemon.command(["sync"])
            status = try await daemon.command(["status"])
        }
        #expect(full.ending == .exited(75), "\(full.output) \(full.errors) \(daemon.log)")
        #expect(status.ending == .exited(0) && status.output.contains("were not exported"), "\(status.output)")
        #expect(!(full.output + full.errors).contains("SegmentError("), "\(full.output) \(full.errors)")
    }

    @Test func writersOfWhichNothingIsAppliedAreListed() async throws {
        let daemon = try RunningDaemon()
        var writer = ForeignWriter(id: Self.writer, milliseconds: Self.now - 86_400_000)
        let first = try writer.write([[Self.insert]], to: daemon.logs)
        try writer.write([[]], to: daemon.logs)
        let away = daemon.folder.path("away")
        try FileManager.default.moveItem(atPath: first, toPath: away)
        try await daemon.start()
        _ = try await daemon.call(.post, "/v1/sync")
        func listed() async throws -> [String: Any]? {
            let writers = try await daemon.call(.get, "/v1/writers").1["writers"] as? [[String: Any]]
            return writers?.first { $0["id"] as? String == Self.writer }
        }
        let unknown = try #require(try await listed())
        #expect(unknown["sequence"] as? Int == 0 && unknown["waiting"] as? Int == 1, "\(unknown)")
        #expect(unknown["lastHeard"] == nil)

        try FileManager.default.moveItem(atPath: away, toPath: first)
        _ = try await daemon.call(.post, "/v1/sync")
        let known = try #require(try await listed())
        // The writer's last transaction is a day old, and all of its segments are applied.
        #expect(known["lagSeconds"] as? Double == 0 && known["waiting"] == nil, "\(known)")
        #expect(try #require(known["lastHeard"] as? Double) < Date().timeIntervalSince1970 - 80_000)
        let table = try await daemon.command(["writer", "list"], environment: ["COLUMNS": "80"])
        #expect(table.output.contains(Self.writer) && table.output.contains("LAST HEARD"))
        #expect(table.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(table.output)")
    }

    @Test func mistakesInRequestsAreShownWhereTheyAreAndOnce() async throws {
        let daemon = try await RunningDaemon.started()
        let list = try await daemon.command(["object", "list", "Employee", "--where", "name = 'a' AND salry > 3"])
        #expect(list.ending == .exited(64))
        let lines = list.errors.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let caret = try #require(lines.firstIndex { $0.trimmingCharacters(in: .whitespaces) == "^" }, "\(list.errors)")
        #expect(lines[caret - 1].dropFirst(lines[caret].count - 1).hasPrefix("salry"), "\(list.errors)")
        #expect(!lines[caret - 1].contains("…"), "\(list.errors)")
        // A long text is cut to the width of the terminal, around the mistake in its middle.
        for (count, isCut) in [(27, false), (28, true)] {
            let text =
                "name = '\(String(repeating: "a", count: 60))' AND salry > '\(String(repeating: "b", count: count))'"
            let long = try await daemon.command(
                ["object", "list", "Employee", "--where", text],
                environment: ["COLUMNS": "80"]
            )
            let lines = long.errors.split(separator: "\n")
            let caret = try #require(
                lines.firstIndex { $0.trimmingCharacters(in: .whitespaces) == "^" },
                "\(long.errors)"
            )
            #expect(lines[caret - 1].hasPrefix("  …a") && lines[caret - 1].hasSuffix("b…") == isCut, "\(long.errors)")
            #expect(lines[caret - 1].dropFirst(lines[caret].count - 1).hasPrefix("salry"), "\(long.errors)")
        }
        try await daemon.expect(64, of: ["object", "list", "Employee", "--sort=name,shoe"], errors: "^")

        let insert = try await daemon.expect(65, of: ["object", "insert", "Employee", "name=Ann", "salary=100001"])
        let told = insert.errors.split(separator: "\n").filter { $0.contains("100000") || $0.contains("greater") }
        #expect(told.count == 1, "\(insert.errors)")
    }

    @Test func watchTellsInWords() async throws {
        let daemon = try await RunningDaemon.started()
        let output = daemon.folder.path("watched")
        let watch = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            ["watch", "--updates", "1", "--after", try await token(of: daemon)],
            environment: ["TRIBUTARY_SOCKET": daemon.socket],
            output: output
        )
        _ = try await daemon.command(["object", "insert", "Employee", "name=Ann"])
        #expect(await watch.ending() == .exited(0))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("1 Employee inserted") && !text.contains("{"), "\(text)")
    }

    private func token(of daemon: RunningDaemon) async throws -> String {
        try #require(try await daemon.call(.post, "/v1/sync").1["token"] as? String)
    }

    @Test func theJournalTellsWhatHappenedAndByWhom() async throws {
        let daemon = try RunningDaemon()
        try daemon.configure("log: {level: debug}")
        var writer = ForeignWriter(id: Self.writer, milliseconds: Self.now)
        try await daemon.start()
        let file = try writer.write([[Self.insert]], to: daemon.logs)
        _ = try await daemon.call(.post, "/v1/sync")
        _ = try await daemon.command(["object", "insert", "Employee", "name=Bea"])
        _ = try await daemon.command(["pause", "--for", "1h"])
        _ = try await daemon.command(["resume"])
        _ = try await daemon.call(.post, "/v1/sync")
        let damaged = try writer.write([[Self.insert]], to: daemon.folder.path("elsewhere"))
        let text = try String(contentsOfFile: damaged, encoding: .utf8).replacing("Ann", with: "Bob")
        try Data(text.utf8).write(to: URL(fileURLWithPath: damaged))
        let name = URL(fileURLWithPath: damaged).lastPathComponent
        try FileManager.default.moveItem(atPath: damaged, toPath: "\(daemon.logs)/\(Self.writer)/\(name)")
        _ = try await daemon.call(.post, "/v1/sync")
        let away = daemon.folder.path("away")
        try FileManager.default.moveItem(atPath: daemon.logs, toPath: away)
        _ = try await daemon.call(.post, "/v1/sync")
        try FileManager.default.moveItem(atPath: away, toPath: daemon.logs)
        _ = try await daemon.call(.post, "/v1/sync")
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(await daemon.stop() == .exited(0))
        let journal = try String(contentsOfFile: daemon.folder.path("one.log"), encoding: .utf8)
        for line in [
            "DEBUG imported  changes=1 segments=1 transactions=1", "DEBUG exported  changes=1",
            "INFO synchronized  cause=",
            "NOTICE importing is paused  by=", "NOTICE importing resumes  by=", "WARNING segment is not applied ",
            "WARNING log folder cannot be read ", "INFO log folder can be read again ",
        ] { #expect(journal.contains(line), "\(line) in \(journal)") }
        // Words of the libraries' own log entries.
        for word in ["Starting service", "eventLoop", "NIOCore", "hb."] {
            #expect(!journal.contains(word), "\(word) in \(journal)")
        }
    }
}
