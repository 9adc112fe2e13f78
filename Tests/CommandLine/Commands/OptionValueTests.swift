import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Values of options in the forms that people write.
@Suite(.daemonTurns) struct OptionValueTests {
    @Test func valuesMayBeginWithADash() async throws {
        let daemon = try await RunningDaemon.started()
        for (name, salary) in [("Ann", 3), ("Bob", 5), ("Cid", 4)] {
            let insert = ["object", "insert", "Employee", "name=\(name)", "salary=\(salary)"]
            try await daemon.success(of: insert)
        }
        let list = try await daemon.success(
            of: ["--json", "object", "list", "Employee", "--sort", "-salary", "--where", "salary > 3"]
        )
        let value = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let names = (value?["objects"] as? [[String: Any]])?.compactMap { ($0["values"] as? [String: Any])?["name"] }
        #expect(names as? [String] == ["Bob", "Cid"], "\(list.output)")
        let negative = try await daemon.command(["object", "list", "Employee", "--where", "-1 > salary", "--count"])
        #expect(negative.ending == .exited(0) && negative.output == "0\n", "\(negative)")
    }

    /// A pasted hint reaches the daemon that the hint is about.
    @Test func hintsNameTheSocketThatWasGiven() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.success(of: ["--socket", daemon.socket, "pause"])
        let status = try await daemon.command(["--socket", daemon.socket, "status"])
        #expect(status.output.contains("tributaryctl --socket \(daemon.socket) resume"), "\(status.output)")
        let plain = try await daemon.command(["status"])
        #expect(plain.output.contains("tributaryctl resume"), "TRIBUTARY_SOCKET stays: \(plain.output)")
    }

    /// Another machine has another socket.
    @Test(.timeLimit(.minutes(10))) func hintsForAnotherMachineNameNoSocket() async throws {
        let daemon = try RunningDaemon()
        try daemon.configure("watch: {incomplete_grace: 1s}")
        let header = TransactionHeader(sequence: 2, clock: HybridClock(WallTime(milliseconds: 1_000)), changeCount: 0)
        let late = SegmentText(
            writer: UniqueID(high: 1, low: 2),
            [LogTransaction(header: header, changes: [])]
        )
        let place = URL(fileURLWithPath: daemon.logs + "/" + late.name.path)
        let parent = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(late.bytes()).write(to: place)
        try await daemon.start()
        while try await !daemon.problems().contains("segments-waiting") { try Task.checkCancellation() }
        let status = try await daemon.command(["--socket", daemon.socket, "status"])
        #expect(status.output.contains("there: tributaryctl compact;"), "\(status)")
        #expect(status.output.contains("tributaryctl --socket \(daemon.socket) writer abandon"), "\(status)")
    }

    /// A pasted argument cannot steer the terminal through the message that refuses it.
    @Test(
        arguments: [
            ["tributaryctl", "segment", "explain", "TEXT"], ["tributaryctl", "conflict", "show", "TEXT"],
            ["tributaryctl", "status", "--instance", "TEXT"], ["tributaryctl", "doctor", "--instance", "TEXT"],
            ["tributaryctl", "status", "--TEXT"], ["tributaryctl", "TEXT"], ["tributaryd", "TEXT"],
        ]
    )
    func aRefusedArgumentIsEscaped(_ command: [String]) async throws {
        let text = "\u{1B}]0;x\u{7}\u{9B}2J\u{202E}"
        let folder = try TemporaryFolder("escapes")
        let answer = try await Answer(
            of: command.dropFirst().map { $0.replacing("TEXT", with: text) },
            to: command[0],
            in: folder
        )
        #expect(answer.ending == .exited(64), "\(answer)")
        let isHarmful: (Unicode.Scalar) -> Bool = {
            $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
        }
        #expect(
            answer.errors.contains("\\u{1B}") && !answer.errors.unicodeScalars.contains(where: isHarmful),
            "\(answer)"
        )
    }

    /// A byte that is no UTF-8 would be stored as a replacement character.
    @Test func anArgumentThatIsNotUTF8IsRefused() async throws {
        let folder = try TemporaryFolder("bytes")
        let command = "exec \"$0\" object insert Employee \"name=$(printf '\\377')\""
        let answer = try await Answer(
            running: ["/bin/sh", "-c", command, BuildFolder.executable("tributaryctl")],
            in: folder,
            environment: ["TRIBUTARY_SOCKET": folder.path("none")]
        )
        #expect(answer.ending == .exited(64))
        #expect(answer.errors.contains("argument 4 is not UTF-8: 'name="), "\(answer)")
    }

    /// What people type is understood, and what is not is answered in the words of their model.
    @Test func errorsSpeakOfTheModelAndShortFormsAreUnderstood() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(EmployeeModel.text(adding: "born: {type: Date, optional: true}"), to: "model.yaml")
        try await daemon.start()
        func run(_ arguments: String..., ends status: Int32 = 0) async throws -> String {
            let result = try await daemon.expect(status, of: arguments)
            return result.output + result.errors
        }
        let wrong = try await run("object", "insert", "Employee", "name=Ann", "salary=abc", ends: 64)
        #expect(wrong.contains("salary is a Double, and 'abc' is not a number"), "\(wrong)")
        let ann = try await run("object", "insert", "Employee", "name=Ann").trimmingCharacters(in: .newlines)
        let hq = try await run("object", "insert", "Department", "title=HQ").trimmingCharacters(in: .newlines)
        let born = try await run("object", "insert", "Employee", "name=Ann", "born=yesterday", ends: 64)
        #expect(
            born.contains("born is a Date (Unix seconds, such as 1795219200), and 'yesterday' is not JSON"),
            "\(born)"
        )
        let whose = try await run("object", "list", "Employee", "--where", "born = 'yesterday'", ends: 64)
        #expect(whose.contains("such as '2026-11-21' or '2026-11-21T10:30:00Z')"), "\(whose)")
        let ended = try await run("watch", "--updates", "0", ends: 64)
        #expect(ended.contains("--updates is a number from 1"), "\(ended)")
        let links = try await run("object", "update", "Department", hq, "employees=\(ann)", ends: 64)
        #expect(links.contains("--link employees=UUID"), "\(links)")
        let unknown = try await run("object", "update", "Employee", ann, "colour=red", ends: 65)
        #expect(unknown.contains("colour") && !unknown.contains("change 0"), "\(unknown)")

        _ = try await run("object", "link", "Department", hq, "employees", ann)
        #expect(try await run("object", "show", "Employee", ann).contains(hq))
        _ = try await run("object", "unlink", "Department", hq, "employees", ann)
        #expect(try await !run("object", "show", "Employee", ann).contains(hq))

        try daemon.folder.write(
            """
            {"insert":"Employee","values":{"name":"Bob"}}

            {"insert":"Employee","values":{"salary":1e9}}
            """,
            to: "changes"
        )
        let apply = try await run("apply", daemon.folder.path("changes"), ends: 65)
        #expect(apply.contains("changes:3: "), "\(apply)")

        _ = try await run("object", "insert", "Employee", "name=Newest")
        let history = try await run("history", "-n", "1")
        let all = try await run("history", "-n", "1000", "-o", "json")
        let newest = all.matches(of: /"number":(\d+)/).compactMap { Int($0.1) }.max() ?? 0
        #expect(history.split(separator: "\n").contains { $0.hasPrefix("\(newest) ") }, "\(history)\n\(all)")

        let segment = EmployeeSegment(writer: UniqueID(UUID()), transactions: 1, changesEach: 1)
        try segment.publish(in: daemon.logs)
        _ = try await run("sync", "--timeout", "120")
        let line = try #require(
            try await run("segment", "ls", "--all").split(separator: "\n").first {
                $0.contains(segment.writer.description)
            }
        )
        #expect(line.contains(" sample "), "\(line)")
        #expect(try await run("history").contains("sample (\(segment.writer.description.prefix(8)))"))
        let words = line.split(separator: " ").prefix(3).map(String.init)
        #expect(try await run("segment", "explain", words[0], words[1], words[2]).contains("applied"))
        #expect(try await run("segment", "show", "\(words[0].prefix(13))/\(words[1])-\(words[2])").contains("applied"))
        let (first, last) = (words[1].dropLast() + "2", words[1])
        let reversed = try await run("segment", "explain", "\(words[0])/\(first)-\(last)", ends: 66)
        #expect(reversed.contains("is not the name of a segment: sequences begin with 1"), "\(reversed)")
        let short = try await run("segment", "explain", "\(words[0])/2-1", ends: 64)
        #expect(short.contains("two sequences of 16 hexadecimal digits"), "\(short)")
        #expect(try await run("writer", "evict", "nobody", ends: 66).contains("writer list"))
        let evicted = try await run("writer", "evict", String(words[0].prefix(13)))
        #expect(evicted.contains("sample (\(words[0])) is evicted"), "\(evicted)")
        _ = try await run("object", "rm", "Employee", ann)
    }
}
