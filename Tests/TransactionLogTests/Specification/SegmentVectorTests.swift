import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// The test vectors that go with the specification of the segment format, against this project's reader and writer.
@Suite struct SegmentVectorTests {
    /// One of the articles of the specification.
    private static func article(_ name: String) throws -> Article {
        try Article(path: "Sources/TransactionLog/TransactionLog.docc/\(name).md")
    }

    @Test(arguments: try SegmentVectors().segments)
    func aSegmentIsReadAsTheVectorSays(_ vector: SegmentVectors.Segment) throws {
        let bytes = try vector.bytes()
        #expect(SegmentEnd.sha256(of: bytes) == vector.sha256)
        switch try SegmentExamination(bytes, path: vector.path) {
        case .valid(let content, let normal):
            #expect(vector.state == "valid")
            #expect(SegmentEnd.sha256(of: normal) == vector.normal)
            let expected = try SegmentVectors.bytes(of: try #require(vector.parse))
            #expect(content == (try JSONParser.parse(expected, depthLimit: 16)))
            #expect(Array(content.text.utf8) + [0x0A] == expected)
            guard case .valid(_, let again) = try SegmentExamination(normal, path: vector.path) else {
                Issue.record("the normal form is not valid")
                return
            }
            #expect(again == normal)
        case .refused(let state, let line, let reason):
            #expect(state == vector.state, "\(reason)")
            #expect(line == vector.line, "\(reason)")
        }
    }

    @Test(arguments: try SegmentVectors().comparisons)
    func aComparisonIsReadAsTheVectorSays(_ vector: SegmentVectors.Comparison) throws {
        let bytes = try SegmentVectors.bytes(of: vector.file)
        #expect(SegmentEnd.sha256(of: bytes) == vector.sha256)
        let folder = try TemporaryFolder("comparison")
        let parts = vector.path.split(separator: "/").map(String.init)
        try FileManager.default.createDirectory(atPath: folder.path(parts[0]), withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: folder.path(vector.path)))
        let writer = try #require(SegmentName.writer(folderName: parts[0]))
        guard case .comparison(let baseline) = SegmentFileKind.classify(parts[1], writer: writer) else {
            Issue.record("the name is not that of a comparison")
            return
        }
        let name = BaselineComparison.Name(writer: writer, of: baseline)
        #expect(name.path == vector.path)
        do throws(SegmentError) {
            let found = try BaselineComparison.read(name, in: try LogFolder(path: folder.path))
            #expect(vector.state == "valid")
            #expect(found.difference == vector.difference)
        } catch {
            #expect(error.state == vector.state, "\(error)")
        }
    }

    /// The comparison in the article is a vector in normal form, and endorses the article's baseline.
    @Test func theComparisonOfTheArticleEndorsesItsBaseline() throws {
        let article = try Self.article("BaselineFormat")
        let block = try #require(article.block(after: "<!-- vector: comparison -->"))
        #expect(Array(block.utf8) == (try SegmentVectors.bytes(of: "valid/article.comparison")))
        let baseline = String(decoding: try SegmentVectors.bytes(of: "valid/article.baseline"), as: UTF8.self)
        let end = try #require(try baseline.split(separator: "\n").last.map { try JSONParser.parse(String($0)) })
        let line = try JSONParser.parse(block)
        #expect(line["sha256"] == end["sha256"] && line.text + "\n" == block)
    }

    /// The article's signed end line is what its second example gets with the key that it names.
    @Test func theSignatureOfTheArticleIsThatOfItsExample() throws {
        let end = try #require(Self.article("SignaturesAndEncryption").block(after: "<!-- vector: signed-end -->"))
        let example = try #require(Self.article("SegmentFormat").block(after: "<!-- vector: article-next -->"))
        let lines = example.split(separator: "\n")
        let body = Array(lines.dropLast().map { $0 + "\n" }.joined().utf8)
        let source = MemorySegment(body + Array(end.utf8))
        let tail = try SegmentTail.read(source)
        let name = try SegmentHeader.read(source).segmentName
        _ = try SegmentVerifier().verify(source, name: name)
        let text = SignedText.of(name.path, tail.end.sha256)
        let signature = try #require(tail.end.signature)
        #expect(signature.isValid(of: text) && tail.end.line + "\n" == end)
        let key = try #require(SigningKey(seed: Array(repeating: 7, count: 32)))
        #expect(key.sign(text) == signature)
        #expect(!signature.isValid(of: SignedText.of("\(name.writer)/1.tlog", tail.end.sha256)))
    }

    @Test func aComparisonIsSignedAsItStands() throws {
        let folder = try TemporaryFolder("comparison")
        let (writer, store) = (UniqueID(high: 1, low: 1), UniqueID(high: 2, low: 2))
        let baseline = BaselineName(writer: UniqueID(high: 3, low: 3), sequence: 7)
        let name = BaselineComparison.Name(writer: writer, of: baseline)
        let key = SigningKey.generate()
        let hash = SegmentText.hash([1])
        let found = BaselineComparison(name, sha256: hash, difference: "line 3 is \"ä\"").signed(by: key, of: store)
        try FileManager.default.createDirectory(atPath: folder.path("\(writer)"), withIntermediateDirectories: true)
        func read(_ line: String) throws -> BaselineComparison {
            try Data((line + "\n").utf8).write(to: URL(filePath: folder.path(name.path)))
            return try BaselineComparison.read(name, in: try LogFolder(path: folder.path))
        }
        let again = try read(found.line)
        #expect(again == found && again.signature?.isValid(of: again.signedText) == true)
        for (old, new) in [(hash, SegmentText.hash([2])), ("line 3", "line 4"), ("\(store)", "\(writer)")] {
            let forged = try read(found.line.replacingOccurrences(of: old, with: new))
            #expect(forged.signature?.isValid(of: forged.signedText) == false)
        }
        #expect(try read(found.line.replacingOccurrences(of: "\"key\"", with: "\"kay\"")).signature == nil)
    }

    @Test(arguments: try SegmentVectors().names)
    func aNameIsWhatTheVectorSays(_ vector: SegmentVectors.Name) {
        let kind: String
        switch SegmentName.writer(folderName: vector.folder).map({ SegmentFileKind.classify(vector.name, writer: $0) })
        {
        case .segment: kind = "segment"
        case .baseline: kind = "baseline"
        case .comparison: kind = "comparison"
        case .conflictCopy: kind = "conflict copy"
        case .misnamed, .ignored, nil: kind = "other"
        }
        #expect(kind == vector.kind)
    }

    /// The segments in the article are vectors, and the second one follows the first.
    @Test func theExampleOfTheArticleIsTwoVectors() throws {
        let article = try Self.article("SegmentFormat")
        let texts = try ["article", "article-next"].map { name in
            let text = String(decoding: try SegmentVectors.bytes(of: "valid/\(name).tlog"), as: UTF8.self)
            #expect(article.block(after: "<!-- vector: \(name) -->") == text)
            return try text.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        }
        #expect(texts[1].first?["previous"] == texts[0].last?["sha256"])
        #expect(texts[0].first?["last"] == .integer(42) && texts[1].first?["first"] == .integer(43))
        let clocks = texts.map { $0.compactMap { $0["clock"]?.text } }
        #expect(try #require(clocks[0].last) < #require(clocks[1].first))
    }

    /// A cut text still has as much as a reader takes, in whole characters.
    @Test func aLongTextIsCutToTheLimit() {
        let limit = LogLimits.textBytes
        for (character, kept) in [("a", limit), ("é", limit - limit % 2), ("😀", limit - limit % 4)] {
            let text = String(repeating: character, count: limit + 1)
            #expect(LogLimits.cut(text).utf8.count == kept)
            #expect(text.hasPrefix(LogLimits.cut(text)))
        }
    }

    /// The article's table of limits and its greatest clock are those of the code.
    @Test func theLimitsOfTheArticleAreThoseOfTheCode() throws {
        let article = try Self.article("SegmentFormat")
        let rows = article.rows(under: "Grammar").filter { $0.count == 2 }
        let limits = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        #expect(limits["nesting"] == "\(JSONParser.logDepth)")
        #expect(limits["`name`, `model`, `author`"] == "\(LogLimits.textBytes) bytes each, after escapes")
        #expect(limits["members of `seen`"] == "10,000" && LogLimits.seenEntries == 10_000)
        #expect(limits["`clock`"]?.contains("less than `\(HybridClock.firstRefused)`") == true)
        #expect(article.text.contains("the integer \(SegmentHeader.formatVersion), the version of this format"))
    }
}
