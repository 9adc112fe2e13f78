import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// The reader in Python, written from the specification alone, and this project's reader and writer agree.
@Suite(.enabled(if: Python() != nil, "python3 is not installed"))
struct IndependentReaderTests {
    private struct Finding: Decodable {
        var file: String
        var state: String
        var line: Int?
        var reason: String?
        var normal: String?
        var isNormal: Bool?
    }

    @Test func itAgreesWithTheVectors() async throws {
        let python = try #require(Python())
        let result = try await python.run(SegmentVectors.checker, ["vectors"])
        #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
        #expect(result.output == "all vectors agree\n")
    }

    /// The other reader accepts the writer's segments, which are in the normal form.
    @Test func itReadsWhatTheWriterWrites() async throws {
        let random = SeededGenerator.fromEnvironment()
        var transactions = RandomTransactions(random)
        let folder = try TemporaryFolder("written")
        var paths: [String] = []
        for index in LongProofs.rounds(40) {
            let writer = transactions.id()
            let first = UInt64.random(in: 1...(1 << 40), using: &transactions.random)
            let count = Int.random(in: 1...12, using: &transactions.random)
            let previous = index.isMultiple(of: 2) ? String(repeating: "0f", count: 32) : nil
            let written = transactions.next(first: first, count: count)
            let segment = SegmentText(writer: writer, written, previous: previous, name: "till \(index)")
            paths.append(try write(segment.bytes(), segment.name, to: folder))
        }
        for (path, finding) in zip(paths, try await findings(paths)) {
            #expect(finding.file == path)
            #expect(finding.state == "valid", "seed \(random.seed): \(path): \(finding.reason ?? "")")
            #expect(finding.isNormal == true, "seed \(random.seed): \(path)")
        }
    }

    /// Bytes changed at random, with a hash that fits and with one that does not: both readers say the same.
    @Test func bothSayTheSameOfChangedBytes() async throws {
        let random = SeededGenerator.fromEnvironment()
        var transactions = RandomTransactions(random)
        let folder = try TemporaryFolder("changed")
        var cases: [(path: String, bytes: [UInt8])] = []
        for _ in LongProofs.rounds(200) {
            let writer = transactions.id()
            let written = transactions.next(first: 1, count: Int.random(in: 1...4, using: &transactions.random))
            let segment = SegmentText(writer: writer, written)
            let bytes = SegmentMutation.mutated(segment, &transactions.random)
            cases.append((try write(bytes, segment.name, to: folder), bytes))
        }
        var states: Set<String> = []
        for (item, finding) in zip(cases, try await findings(cases.map(\.path))) {
            let comment = "seed \(random.seed): \(String(decoding: item.bytes, as: UTF8.self)): \(finding.reason ?? "")"
            states.insert(finding.state)
            switch try SegmentExamination(item.bytes, path: item.path) {
            case .valid(_, let normal):
                #expect(finding.state == "valid", "\(comment)")
                #expect(finding.normal == SegmentEnd.sha256(of: normal), "\(comment)")
            case .refused(let state, let line, let reason):
                #expect(finding.state == state, "\(comment), \(reason)")
                if state == "rejected" { #expect(finding.line == line, "\(comment), \(reason)") }
            }
        }
        #expect(states == ["valid", "incomplete", "damaged", "rejected"], "seed \(random.seed)")
    }

    /// Both draw the line at the same byte.
    @Test func bothHaveTheSameLimits() async throws {
        let folder = try TemporaryFolder("limits")
        var transactions = RandomTransactions(SeededGenerator(seed: 1))
        let writer = transactions.id()
        let id = transactions.id()
        let begin = "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":1}"
        let change = "{\"delete\":\"E\",\"id\":\"\(id)\"}"
        var expected: [String] = []
        var paths: [String] = []
        func add(_ state: String, _ lines: [String], end: String = "") throws {
            let segment = SegmentText(writer: writer, last: 1, lines)
            var bytes = segment.bytes()
            if !end.isEmpty { bytes.insert(contentsOf: end.utf8, at: bytes.count - 1) }
            let path = try write(bytes, segment.name, to: folder, "\(paths.count)")
            paths.append(path)
            expected.append(state)
            let found = try SegmentExamination(bytes, path: path)
            if case .refused(let refused, _, _) = found { #expect(refused == state) } else { #expect(state == "valid") }
        }
        let longest = 16 << 20
        try add("valid", [begin, change + String(repeating: " ", count: longest - change.utf8.count)])
        try add("rejected", [begin, change + String(repeating: " ", count: longest + 1 - change.utf8.count)])
        for count in [10_000, 10_001] {
            let seen = (0..<count).map { _ in "\"\(transactions.id())\":1" }.joined(separator: ",")
            let line = "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"seen\":{\(seen)},\"changes\":0}"
            try add(count == 10_000 ? "valid" : "rejected", [line])
        }
        let endLength = SegmentText(writer: writer, last: 1, [begin, change]).endLine(of: []).count - 1
        try add("valid", [begin, change], end: String(repeating: " ", count: 65_534 - endLength))
        try add("incomplete", [begin, change], end: String(repeating: " ", count: 65_535 - endLength))
        #expect(try await findings(paths).map(\.state) == expected)
    }

    private func write(
        _ bytes: [UInt8],
        _ name: SegmentName,
        to folder: TemporaryFolder,
        _ parent: String = "logs"
    ) throws -> String {
        let path = folder.path("\(parent)/\(name.path)")
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func findings(_ paths: [String]) async throws -> [Finding] {
        let result = try await #require(Python()).run(SegmentVectors.checker, ["examine"] + paths)
        try #require(result.ending == .exited(0), "\(result.errors)")
        return try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Finding.self, from: Data($0.utf8))
        }
    }
}

/// Segments that have come to harm.
enum SegmentMutation {
    private static let pieces =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\r", " ", "0", "-", "1e5", ".5", "null", "true", "\\u00",
            "\\ud83d",
            "\u{0}", "é", "9223372036854775808", "\"seen\":{},", "\"x\":[[[[[[[]]]]]]],", "1700000000.12345678901",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x80], [0xED, 0xA0, 0x80]]

    /// The bytes of a segment with a few changes; the end line's hash mostly fits what is before it.
    static func mutated(_ segment: SegmentText, _ random: inout SeededGenerator) -> [UInt8] {
        var body = segment.body
        var end = segment.endLine(of: body)
        let kind = Int.random(in: 0..<10, using: &random)
        if kind > 0 {
            for _ in 0..<Int.random(in: 1...2, using: &random) { mutate(&body, &random) }
        }
        switch kind {
        case 1: break
        case 2: mutate(&end, &random)
        case 3:
            let whole = body + end
            return Array(whole.prefix(Int.random(in: 0...whole.count, using: &random)))
        default: end = segment.endLine(of: body)
        }
        return body + end
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let piece = pieces.randomElement(using: &random) ?? []
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: piece, at: place)
        default:
            // A digit, so that lines stay what they are and numbers change.
            if let digit = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) }) {
                bytes.replaceSubrange(digit...digit, with: piece)
            }
        }
    }
}
