import Foundation
import TestSupport
import Testing
import TransactionLog

/// `segment-line.schema.json` describes the lines of segments as this project reads and writes them.
@Suite(.enabled(if: Python(importing: "jsonschema") != nil, "python3 has no jsonschema: install python3-jsonschema"))
struct SegmentSchemaTests {
    private static let schema = PackageFolder.path(
        "Sources/TransactionLog/TransactionLog.docc/segment-line.schema.json"
    )
    private static let program = PackageFolder.path("Tests/TransactionLogTests/Vectors/check_schema.py")

    /// What the schema says of each file: `ok`, or the first line that it refuses.
    private func findings(_ paths: [String]) async throws -> [String: String] {
        let python = try #require(Python(importing: "jsonschema"))
        let result = try await python.run(Self.program, [Self.schema] + paths)
        #expect(result.ending == .exited(0), "\(result.errors)")
        return Dictionary(
            uniqueKeysWithValues: result.output.split(separator: "\n").map { line in
                let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
                return ((parts[0] as NSString).lastPathComponent, parts[1])
            }
        )
    }

    private static func vectors(_ state: String) throws -> [String] {
        let folder = PackageFolder.path("Tests/TransactionLogTests/Vectors/\(state)")
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".tlog") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    @Test func itTakesEachValidVector() async throws {
        let paths = try Self.vectors("valid")
        let found = try await findings(paths)
        #expect(found.count == paths.count && found.count > 20)
        #expect(found.filter { $0.value != "ok" }.isEmpty)
    }

    /// The faults that can be seen in one line; those that need several lines, and repeated keys, are not among them.
    @Test func itRefusesTheFaultsOfALine() async throws {
        let found = try await findings(try Self.vectors("rejected"))
        for (name, line) in [
            ("change-no-id", 3), ("change-no-verb", 3), ("change-two-verbs", 3), ("change-id-short", 3),
            ("link-no-to", 3), ("link-no-ids", 3), ("link-id-null", 3), ("values-null", 3), ("values-array", 3),
            ("clock-upper-case", 2), ("clock-number", 2), ("author-number", 2), ("seen-no-uuid", 2), ("seen-text", 2),
            ("changes-missing", 2), ("changes-negative", 2), ("first-missing", 1), ("no-version", 1), ("version-2", 1),
            ("previous-short", 1), ("range-zero", 1), ("range-huge", 1), ("name-number", 1),
        ] {
            let finding = try #require(found["\(name).tlog"])
            #expect(finding.hasPrefix("line \(line): "), "\(name): \(finding)")
        }
    }

    @Test func itTakesWhatTheWriterWrites() async throws {
        let random = SeededGenerator.fromEnvironment()
        var transactions = RandomTransactions(random)
        let folder = try TemporaryFolder("schema")
        var paths: [String] = []
        for index in 0..<20 {
            let count = Int.random(in: 1...12, using: &transactions.random)
            let written = transactions.next(first: 1, count: count)
            let segment = SegmentText(writer: transactions.id(), written, name: "till \(index)")
            let path = folder.path("\(index).tlog")
            try Data(segment.bytes()).write(to: URL(fileURLWithPath: path))
            paths.append(path)
        }
        let found = try await findings(paths)
        #expect(found.count == paths.count)
        #expect(found.filter { $0.value != "ok" }.isEmpty, "seed \(random.seed)")
    }
}
