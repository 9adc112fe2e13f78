import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Baselines as files: publishing, verifying, reading, and files of hostile programs.
@Suite struct BaselineFileTests {
    private static let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let other = "6f0c0000-0000-7000-8000-000000000002"
    private static let id = "0190f1a2-0000-7000-8000-000000000001"

    /// The lines of a valid baseline without its end line.
    private static let lines = [
        #"{"tributary":1,"baseline":1,"model":"3","modelHash":"00ff","rules":{"E":{"E":{"x":"max"}}},"writers":2}"#,
        #"{"writer":"\#(writer)","sequence":42,"clock":"019aa3f1c2d40001","seen":{"\#(other)":17}}"#,
        #"{"writer":"\#(other)","sequence":17,"clock":"019aa3f1c2d30000"}"#,
        #"{"transaction":16,"writer":"\#(other)","clock":"019aa3f1c2d20000","changes":1}"#,
        #"{"delete":"Employee","id":"\#(id)"}"#,
        #"{"transaction":41,"writer":"\#(writer)","clock":"019aa3f1c2d40000","changes":1}"#,
        #"{"insert":"Employee","id":"\#(id)","values":{"name":"Ann"}}"#,
        #"{"transaction":41,"writer":"\#(writer)","clock":"019aa3f1c2d40001","changes":1}"#,
        #"{"update":"Employee","id":"\#(id)","values":{"badge":7}}"#,
        #"{"bound":"Employee","id":"\#(id)","values":{"best":12}}"#,
        #"{"counter":"Employee","id":"\#(id)","property":"visits","totals":{"\#(other)":4}}"#,
    ]

    /// Lines that make the baseline invalid in the place of its own, by index.
    private static let wrongLines: [(Int, String)] = [
        (0, #"{"tributary":2,"baseline":1,"modelHash":"00ff","writers":2}"#),
        (0, #"{"tributary":1,"modelHash":"00ff","writers":2}"#),
        (0, #"{"tributary":1,"baseline":1,"rules":{},"writers":2}"#),
        (0, #"{"tributary":1,"baseline":1,"modelHash":"00ff","writers":2}"#),
        (0, #"{"tributary":1,"baseline":1,"modelHash":"00ff","rules":{"E":{"E":"max"}},"writers":2}"#),
        (0, #"{"tributary":1,"baseline":1,"modelHash":"00ff","rules":{"E":{"E":{"x":1}}},"writers":2}"#),
        (0, #"{"tributary":1,"baseline":1,"modelHash":"00ff","rules":{},"writers":65537}"#),
        (1, #"{"writer":"\#(other)","sequence":17,"clock":"019aa3f1c2d30000"}"#),
        (1, #"{"writer":"\#(writer)","sequence":0,"clock":"019aa3f1c2d40001"}"#),
        (1, #"{"writer":"\#(writer)","sequence":9223372036854775807,"clock":"019aa3f1c2d40001"}"#),
        (1, #"{"writer":"\#(writer)","sequence":42,"clock":"ffffffffffffffff"}"#),
        (3, #"{"transaction":18,"writer":"\#(other)","clock":"019aa3f1c2d20000","changes":1}"#),
        (3, #"{"transaction":16,"writer":"\#(other)","clock":"019aa3f1c2d30001","changes":1}"#),
        (3, #"{"transaction":16,"writer":"\#(id)","clock":"019aa3f1c2d20000","changes":1}"#),
        (3, #"{"transaction":16,"writer":"\#(other)","clock":"019aa3f1c2d20000","changes":0}"#),
        (3, #"{"transaction":16,"writer":"\#(other)","clock":"019aa3f1c2d20000","changes":2}"#),
        (4, #"{"delete":"Employee"}"#),
        (4, ""),
        (5, #"{"transaction":15,"writer":"\#(other)","clock":"019aa3f1c2d10000","changes":1}"#),
        (7, #"{"transaction":41,"writer":"\#(writer)","clock":"019aa3f1c2d40000","changes":1}"#),
        (9, #"{"bound":"Employee","id":"\#(id)","values":{}}"#),
        (9, #"{"limit":"Employee","id":"\#(id)","values":{"best":12}}"#),
        (10, #"{"counter":"Employee","id":"\#(id)","property":"visits","totals":{"\#(id)":4}}"#),
        (10, #"{"transaction":41,"writer":"\#(writer)","clock":"019aa3f1c2d40001","changes":1}"#),
        (10, #"{"counter":"E","id":"\#(id)","property":[[[[[[[[1]]]]]]]],"totals":{"\#(other)":4}}"#),
    ]

    private static var counts: BaselineCounts {
        var counts = BaselineCounts()
        (counts.writers, counts.transactions, counts.changes) = (2, 3, 5)
        return counts
    }

    private static func counts(_ baseline: VerifiedBaseline) -> [UInt64] {
        [baseline.end.last, baseline.end.transactions, baseline.end.changes]
    }

    private static func bytes(_ lines: [String], end: String? = nil) -> [UInt8] {
        let body = Array(lines.map { $0 + "\n" }.joined().utf8)
        let line = end ?? #"{"end":2,"transactions":3,"changes":5,"sha256":"\#(SegmentEnd.sha256(of: body))"}"#
        return body + Array(line.utf8) + [0x0A]
    }

    private static func failure(_ bytes: [UInt8]) -> SegmentError? {
        do throws(SegmentError) {
            _ = try VerifiedBaseline.verify(MemorySegment(bytes, piece: { _ in 7 }))
            return nil
        } catch {
            return error
        }
    }

    @Test func theExampleOfTheArticleIsValid() throws {
        let article = try Article(path: "Sources/TransactionLog/TransactionLog.docc/BaselineFormat.md")
        let vector = try SegmentVectors.bytes(of: "valid/article.baseline")
        #expect(article.block(after: "<!-- vector: baseline -->") == String(decoding: vector, as: UTF8.self))
        #expect(try Self.counts(VerifiedBaseline.verify(MemorySegment(vector))) == [2, 3, 5])
    }

    @Test func aValidBaselineIsReadLineByLine() throws {
        let source = MemorySegment(Self.bytes(Self.lines))
        let baseline = try VerifiedBaseline.verify(source)
        let rules = BaselineRules(["E": ["E": ["x": "max"]]])
        #expect(baseline.header == BaselineHeader(model: "3", modelHash: "00ff", rules: rules, writerCount: 2))
        #expect(baseline.writers.map(\.sequence) == [42, 17])
        #expect(baseline.writers[0].seen.count == 1)
        #expect(Self.counts(baseline) == [2, 3, 5])
        let reader = BaselineReader(source, baseline)
        var lines: [String] = [baseline.header.line] + baseline.writers.map(\.line)
        while let entry = try reader.next() {
            switch entry {
            case .transaction(let transaction): lines.append(transaction.line)
            case .change(let change), .kept(let change):
                var bytes: [UInt8] = []
                change.write(to: &bytes)
                lines.append(String(decoding: bytes.dropLast(), as: UTF8.self))
            case .bound(let bound): lines.append(bound.line)
            case .counter(let counter): lines.append(counter.line)
            }
        }
        // The parsed values are written as they were read.
        #expect(lines == Self.lines)
    }

    /// Equal bytes are published once; other bytes under the name are refused, and nothing is replaced.
    @Test func publishingReplacesNothing() throws {
        let folder = try TemporaryFolder("baselines")
        let logs = try LogFolder(path: folder.path)
        let name = BaselineName(writer: Self.writer, sequence: 42)
        #expect(SegmentFileKind.classify(name.fileName, writer: Self.writer) == .baseline(sequence: 42))
        func publish(_ lines: [String]) throws -> SegmentEnd {
            try logs.publish(name) { write in
                for line in lines { try write(Array((line + "\n").utf8)) }
                return Self.counts
            }
        }
        let end = try publish(Self.lines)
        let path = folder.path(name.path)
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == Self.bytes(Self.lines))
        let file = try logs.open(fileName: name.fileName, writer: Self.writer)
        #expect(try VerifiedBaseline.verify(file).end == end)
        #expect(try publish(Self.lines) == end)
        var others = Self.lines
        others[6] = others[6].replacing("Ann", with: "Bob")
        let fork = #expect(throws: SegmentError.self) { try publish(others) }
        #expect(fork?.kind == .forked)
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == Self.bytes(Self.lines))
        // Segments are not staged in the folder of baselines, so that they are published meanwhile.
        let staging = folder.path(".staging/\(Self.writer)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: staging) == ["baselines"])
        let staged = try FileManager.default.contentsOfDirectory(atPath: staging + "/baselines")
        #expect(staged.isEmpty)
    }

    /// A baseline that no reader would accept gets no name, whatever the line at fault.
    @Test(arguments: wrongLines)
    func aWrongLineIsNotPublished(_ line: Int, _ text: String) throws {
        let folder = try TemporaryFolder("baselines")
        let name = BaselineName(writer: Self.writer, sequence: 42)
        var lines = Self.lines
        lines[line] = text
        let failure = #expect(throws: SegmentError.self) {
            try LogFolder(path: folder.path).publish(name) { write in
                for line in lines { try write(Array((line + "\n").utf8)) }
                return Self.counts
            }
        }
        #expect(failure?.kind == .rejected)
        #expect(!FileManager.default.fileExists(atPath: folder.path(name.path)))
    }

    /// The summary has what the whole baseline has, without reading it all.
    @Test func theSummaryTellsTheVector() throws {
        let source = MemorySegment(Self.bytes(Self.lines))
        let (baseline, summary) = (try VerifiedBaseline.verify(source), try BaselineSummary.read(source))
        #expect(summary.writers == baseline.writers && summary.header == baseline.header)
        #expect(summary.sha256 == baseline.end.sha256)
        for count in 1...2 {
            let cut = MemorySegment(Self.bytes(Array(Self.lines.prefix(count))))
            #expect(throws: SegmentError.self) { try BaselineSummary.read(cut) }
        }
    }

    /// Each change of a line makes the baseline invalid, with the line at fault.
    @Test(arguments: wrongLines)
    func aWrongLineIsRejected(_ line: Int, _ text: String) throws {
        var lines = Self.lines
        lines[line] = text
        let failure = try #require(Self.failure(Self.bytes(lines)))
        #expect(failure.kind == .rejected)
        let found = try #require(failure.line)
        #expect((line + 1...line + 3).contains(found), "\(failure)")
    }

    /// The reader in Python, written from the specification alone, finds the same faults in the same lines.
    @Test(.enabled(if: Python() != nil, "python3 is not installed"))
    func theIndependentReaderAgrees() async throws {
        struct Finding: Decodable {
            var state: String
            var line: Int?
        }
        let python = try #require(Python())
        let folder = try TemporaryFolder("baselines-other")
        let place = folder.path(Self.writer.description)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        var files: [[UInt8]] = [Self.bytes(Self.lines)]
        for (line, text) in Self.wrongLines {
            var lines = Self.lines
            lines[line] = text
            files.append(Self.bytes(lines))
        }
        var paths: [String] = []
        for (index, bytes) in files.enumerated() {
            let name = BaselineName(writer: Self.writer, sequence: UInt64(index) + 1)
            paths.append(folder.path(name.path))
            try Data(bytes).write(to: URL(filePath: folder.path(name.path)))
        }
        let result = try await python.run(SegmentVectors.checker, ["examine"] + paths)
        #expect(result.ending == .exited(0), "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == files.count)
        for (bytes, line) in zip(files, lines) {
            let finding = try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
            let failure = Self.failure(bytes)
            #expect(finding.state == failure?.state ?? "valid", "\(line)")
            #expect(finding.line == failure?.line, "\(line)")
        }
    }

    @Test func missingAndFurtherLinesAreRejected() throws {
        for count in 1..<Self.lines.count {
            #expect(Self.failure(Self.bytes(Array(Self.lines.prefix(count))))?.kind == .rejected)
        }
        #expect(Self.failure(Self.bytes(Self.lines + [Self.lines[10]]))?.kind == .rejected)
        #expect(Self.failure(Self.bytes([]))?.kind == .rejected)
    }

    @Test func aFileThatIsCutOrChangedIsNotRead() throws {
        let bytes = Self.bytes(Self.lines)
        for count in [0, 1, bytes.count / 2, bytes.count - 1] {
            #expect(Self.failure(Array(bytes.prefix(count)))?.kind == .incomplete)
        }
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<200 {
            var changed = bytes
            let place = Int.random(in: 0..<(bytes.count - 160), using: &random)
            changed[place] ^= UInt8.random(in: 1...255, using: &random)
            #expect(Self.failure(changed)?.kind == .damaged, "seed \(random.seed)")
        }
    }

    /// A file that is edited between the verification and the reading is not read to its end.
    @Test func theBytesThatAreReadAreTheVerifiedOnes() throws {
        let source = MemorySegment(Self.bytes(Self.lines))
        let baseline = try VerifiedBaseline.verify(source)
        var lines = Self.lines
        lines[6] = #"{"insert":"Employee","id":"\#(Self.id)","values":{"name":"Bob"}}"#
        source.replace(Self.bytes(lines))
        let reader = BaselineReader(source, baseline)
        let failure = #expect(throws: SegmentError.self) { while try reader.next() != nil {} }
        #expect(failure?.kind == .changed)
    }

    /// A baseline that names many writers, or much that they have seen, is refused before it fills the memory.
    @Test(.enabled(if: LongProofs.isOn, "with TRIBUTARY_LONG_PROOFS")) func theMemoryOfTheVectorIsBounded() throws {
        let count = 120
        var lines = [#"{"tributary":1,"baseline":1,"modelHash":"00ff","rules":{},"writers":\#(count)}"#]
        let seen = (0..<10_000).map { #""\#(UniqueID(high: 7, low: UInt64($0)))":1"# }.joined(separator: ",")
        for index in 0..<count {
            let id = UniqueID(high: 9, low: UInt64(index))
            lines.append(#"{"writer":"\#(id)","sequence":1,"clock":"019aa3f1c2d30000","seen":{\#(seen)}}"#)
        }
        let failure = try #require(Self.failure(Self.bytes(lines)))
        #expect(failure.kind == .rejected)
        #expect(failure.reason.contains("seen"))
    }
}
