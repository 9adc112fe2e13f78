import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The producers of `etc/examples/producers`: several segments, blobs, counters, and a restart after a crash.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct ProducerTests {
    enum Language: String, CaseIterable {
        case python = "gate.py"
        case node = "gate.mjs"
        case shell = "gate.sh"
        case go = "gate.go"

        /// Which program runs the producer; nil for one that its first line names or that is compiled.
        private var interpreter: String {
            switch self {
            case .python: "python3"
            case .node: "node"
            case .shell: "sh"
            case .go: "go"
            }
        }

        var path: String { PackageFolder.path("etc/examples/producers/\(rawValue)") }

        /// The words before the producer's arguments; nil when the language is not on this machine.
        func command(in folder: TemporaryFolder) async throws -> [String]? {
            let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
            let found = places.map { "\($0)/\(interpreter)" }.first(where: FileManager.default.isExecutableFile)
            guard let found else { return nil }
            guard self == .go else { return [found, path] }
            let program = folder.path("gate")
            let answer = try await Answer(
                running: [found, "build", "-o", program, path],
                in: folder,
                environment: ["GOCACHE": folder.path("cache"), "HOME": folder.path, "GO111MODULE": "off"]
            )
            try #require(answer.ending == .exited(0), "\(answer)")
            return [program]
        }
    }

    private struct Line: Decodable {
        var first: Int?
        var last: Int?
        var previous: String?
        var sha256: String?
    }

    private static let model = PackageFolder.path("etc/examples/producers/gate.yaml")

    @Test(arguments: Language.allCases)
    func writesWhatADaemonImports(_ language: Language) async throws {
        let daemon = try RunningDaemon()
        guard let command = try await language.command(in: daemon.folder) else {
            try Test.cancel("the language of \(language.rawValue) is not installed")
        }
        try daemon.folder.write(try String(contentsOfFile: Self.model, encoding: .utf8), to: "model.yaml")
        let (big, small) = (daemon.folder.path("big.jpg"), daemon.folder.path("small.jpg"))
        let picture = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: big))
        try picture.write(to: URL(fileURLWithPath: small))

        func run(_ lines: [String]) async throws {
            let input = daemon.folder.path("input")
            try daemon.folder.write(lines.map { $0 + "\n" }.joined(), to: "input")
            let answer = try await Answer(
                running: ["/bin/sh", "-c", "exec \"$@\" <\"$INPUT\"", "sh"] + command
                    + [daemon.logs, daemon.folder.path("state"), "north-1"],
                in: daemon.folder,
                environment: ["INPUT": input]
            )
            try #require(answer.ending == .exited(0), "\(answer)")
            #expect(answer.errors.isEmpty)
        }

        // A crash after the state was written and before the segment had its name.
        try await run(["3", "4", big, "5"])
        let crashed = try #require(segments(daemon).last)
        let state = try String(contentsOfFile: daemon.folder.path("state"), encoding: .utf8)
        let staged = try #require(state.firstMatch(of: /\/[^"\n]*\/\.staging\/[^"\n]*/)).output
        try FileManager.default.moveItem(atPath: daemon.logs + "/" + crashed, toPath: String(staged))
        #expect(try segments(daemon).count == 1)
        try await run(["7", small, "8"])

        let files = try segments(daemon)
        #expect(files.count == 3 && files[1] == crashed, "\(files)")
        try expectOneChain(files.map { daemon.logs + "/" + $0 }, transactions: 8)
        let arguments = ["segment", "verify", "--strict", "--model", Self.model]
        let verified = try await daemon.success(of: arguments + files.map { daemon.logs + "/" + $0 })
        #expect(verified.output.split(separator: "\n").count == files.count, "\(verified)")
        let left = try FileManager.default.contentsOfDirectory(atPath: daemon.logs + "/.staging")
        #expect(left.isEmpty)

        try await daemon.start()
        try await daemon.success(of: ["sync"])
        let (_, answer) = try await daemon.call(.get, "/v1/objects/Gate")
        let objects = try #require(answer["objects"] as? [[String: Any]])
        try #require(objects.count == 1, "\(answer)")
        let values = try #require(objects[0]["values"] as? [String: Any])
        #expect(values["code"] as? String == "north-1")
        #expect(values["passed"] as? Int == 3 + 4 + 5 + 7 + 8)
        #expect(values["picture"] as? String == picture.base64EncodedString())
        // The identifier that every producer takes for this gate, from the specification's rule.
        #expect(objects[0]["id"] as? String == Self.gate)
        #expect(try await daemon.problems().isEmpty)
    }

    /// The same changes by way of the module, from programs in another folder: importing runs nothing, an interrupted segment is
    /// published, and a later writer continues.
    private static let programs: [(Language, program: String)] = [
        (
            .python,
            """
            import os, sys
            sys.path.insert(0, os.path.dirname(sys.argv[1]))
            from gate import SegmentWriter, identifier
            logs, state = sys.argv[2:]
            gate = identifier("Gate", code="north-1")
            writer = SegmentWriter(logs, state, "module")
            assert writer.is_new
            insert = {"insert": "Gate", "id": gate, "values": {"code": "north-1"}}
            update = {"update": "Gate", "id": gate, "values": {"passed": {"increment": 2}}}
            writer.write([[insert], [update]])
            rename, os.rename = os.rename, None
            try:
                writer.write([[update]])
                raise SystemExit("the segment was published")
            except TypeError:
                os.rename = rename
            writer.write([[update]])
            again = SegmentWriter(logs, state, "module")
            assert not again.is_new
            again.write([[update]])
            """
        ),
        (
            .node,
            """
            import fs from "node:fs";
            const { SegmentWriter, identifier } = await import(process.argv[2]);
            const [logs, state] = process.argv.slice(3);
            const id = identifier("Gate", { code: "north-1" });
            const writer = new SegmentWriter(logs, state, "module");
            if (!writer.isNew) throw new Error("not new");
            const update = { update: "Gate", id, values: { passed: { increment: 2 } } };
            writer.write([[{ insert: "Gate", id, values: { code: "north-1" } }], [update]]);
            const rename = fs.renameSync;
            fs.renameSync = (from, to) => { if (to.endsWith(".tlog")) throw new Error("cut"); rename(from, to); };
            let isCut = false;
            try { writer.write([[update]]); } catch { isCut = true; }
            if (!isCut) throw new Error("the segment was published");
            fs.renameSync = rename;
            writer.write([[update]]);
            const again = new SegmentWriter(logs, state, "module");
            if (again.isNew) throw new Error("new");
            again.write([[update]]);
            """
        ),
    ]

    @Test(arguments: programs) func isAModule(language: Language, program: String) async throws {
        let daemon = try RunningDaemon()
        guard let interpreter = try await language.command(in: daemon.folder)?.first else {
            try Test.cancel("the language of \(language.rawValue) is not installed")
        }
        try daemon.folder.write(try String(contentsOfFile: Self.model, encoding: .utf8), to: "model.yaml")
        let file = language == .python ? "program.py" : "program.mjs"
        try daemon.folder.write(program, to: file)
        let answer = try await Answer(
            running: [interpreter, daemon.folder.path(file), language.path, daemon.logs, daemon.folder.path("state")],
            in: daemon.folder,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"]
        )
        try #require(answer.ending == .exited(0), "\(answer)")
        #expect(answer.output.isEmpty && answer.errors.isEmpty)
        let files = try segments(daemon).map { daemon.logs + "/" + $0 }
        #expect(files.count == 4)
        try expectOneChain(files, transactions: 5)
        try await daemon.success(of: ["segment", "verify", "--strict", "--model", Self.model] + files)
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        let (_, object) = try await daemon.call(.get, "/v1/objects/Gate/\(Self.gate)")
        #expect((object["values"] as? [String: Any])?["passed"] as? Int == 8, "\(object)")
    }

    /// The article's commands, as they are printed, with paths for the words in capitals.
    @Test func theCommandsOfTheArticleWork() async throws {
        guard Python() != nil else { try Test.cancel("python3 is not installed") }
        let folder = try TemporaryFolder("producer")
        let article = try Article(path: "Sources/TransactionLog/TransactionLog.docc/Producers.md")
        let blocks = try ["producer", "sign"].map { try #require(article.block(after: "<!-- test: \($0) -->")) }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else {
            try Test.cancel("openssl is not installed")
        }
        let commands = blocks.joined(separator: "\n").replacing("gate.key", with: folder.path("gate.key"))
            .replacing("/usr/share/doc/tributary", with: "etc").replacing("$WRITER", with: "*").replacing(
                "LOGS",
                with: folder.path("logs")
            ).replacing(
                "STATE",
                with: folder.path("state")
            )
            .replacing("tributaryctl", with: BuildFolder.executable("tributaryctl"))
        let answer = try await Answer(
            running: ["/bin/sh", "-euc", "cd \"$PACKAGE\"\n\(commands)"],
            in: folder,
            environment: ["PACKAGE": PackageFolder.path("."), "PYTHONDONTWRITEBYTECODE": "1"]
        )
        #expect(answer.ending == .exited(0), "\(answer)")
        let lines = answer.output.split(separator: "\n")
        #expect(lines.count { $0.contains(": valid, ") } == 2, "two runs, two segments: \(answer)")
        #expect(lines.count { $0.hasSuffix(": signed") } == 2, "\(answer)")
    }

    /// `printf '["Gate","code","north-1"]' | sha256sum`, with version 8 and the variant set.
    private static let gate = "2d8e2137-b9ee-882a-b3bf-e3cac8259d72"

    private func segments(_ daemon: RunningDaemon) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: daemon.logs).filter { $0.hasSuffix(".tlog") }.sorted()
    }

    /// The numbers go on from file to file, and each file names the one before.
    private func expectOneChain(_ paths: [String], transactions: Int) throws {
        var (next, previous): (Int, String?) = (1, nil)
        for path in paths {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let header = try JSONDecoder().decode(Line.self, from: Data(lines[0].utf8))
            #expect(header.first == next && header.previous == previous, "\(path)")
            next = try #require(header.last) + 1
            previous = try JSONDecoder().decode(Line.self, from: Data(lines[lines.count - 1].utf8)).sha256
        }
        #expect(next == transactions + 1)
    }
}
