import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Invalid segments, each with its resulting state, the line and the reason.
@Suite struct BadSegmentTests {
    static let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let id = "0190f1a2-0000-7000-8000-000000000001"
    static let good = [
        "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":2}",
        "{\"insert\":\"Employee\",\"id\":\"\(id)\",\"values\":{\"name\":\"Ann\",\"salary\":1200.5}}",
        "{\"link\":\"Employee\",\"id\":\"\(id)\",\"to\":\"projects\",\"ids\":[\"\(id)\"]}",
        "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"author\":\"app\",\"changes\":1}",
        "{\"delete\":\"Employee\",\"id\":\"\(id)\"}",
    ]

    static func segment(_ lines: [String] = good, header: String? = nil) -> SegmentText {
        SegmentText(writer: writer, last: 2, lines, header: header)
    }

    static func with(_ line: Int, _ text: String) -> [String] {
        var lines = good
        lines[line] = text
        return lines
    }

    private func error(_ bytes: [UInt8]) -> SegmentError? {
        let source = MemorySegment(bytes)
        let name = Self.segment().name
        return #expect(throws: SegmentError.self) { try SegmentVerifier().verify(source, name: name) }
    }

    @Test func theGoodOneIsGood() throws {
        let source = MemorySegment(Self.segment().bytes())
        let segment = try SegmentVerifier().verify(source, name: Self.segment().name)
        #expect(segment.end.changes == 3)
        let transactions = try SegmentText.transactions(of: segment, in: source)
        #expect(transactions.first?.header.clock == HybridClock("019aa3f1c2d40000"))
        #expect(segment.greatestClock == HybridClock("019aa3f1c2d40001"))
    }

    /// The fault is in the line of the transaction, which may be far above the line where the reader finds it.
    @Test(
        arguments: [
            (0, 3, 5, 1, "transaction 1 in line 2 announces 3 changes, and the next transaction follows after 2"),
            (0, 1, 4, 1, "transaction 1 in line 2 announces 1 change, and a further change follows"),
            (3, 2, 7, 2, "transaction 2 in line 5 announces 2 changes, and the segment ends after 1"),
            (3, 0, 6, 2, "transaction 2 in line 5 announces 0 changes, and a further change follows"),
        ]
    ) func aWrongCountNamesTheTransactionAndItsLine(index: Int, count: Int, line: Int, sequence: UInt64, reason: String)
    {
        let text = Self.good[index].replacing(#/"changes":\d/#, with: "\"changes\":\(count)")
        let error = error(Self.segment(Self.with(index, text)).bytes())
        #expect(error?.kind == .rejected && error?.sequence == sequence)
        #expect(error?.reason == reason)
        #expect(error?.description == "\(error?.file ?? ""):\(error?.line ?? 0): \(reason)")
        #expect(error?.line == line)
    }

    @Test func anEmptyFileIsIncomplete() {
        #expect(error([])?.kind == .incomplete)
    }

    @Test func everyTruncationIsIncomplete() throws {
        let bytes = Self.segment().bytes()
        for count in 0..<bytes.count {
            let found = #expect(throws: SegmentError.self) {
                try SegmentVerifier().verify(MemorySegment(Array(bytes[..<count])), name: Self.segment().name)
            }
            #expect(found?.kind == .incomplete, "cut to \(count) bytes")
        }
    }

    @Test func binaryIsIncomplete() {
        var random = SeededGenerator(seed: 7)
        #expect(error((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) })?.kind == .incomplete)
    }

    @Test func bytesAfterTheEndLineAreNoSegment() {
        let bytes = Self.segment().bytes()
        #expect(error(bytes + Array("{}\n".utf8))?.kind == .incomplete)
        #expect(error(bytes + [0x20])?.kind == .incomplete)
        let twice = error(bytes + Self.segment().endLine(of: bytes))
        #expect(twice?.kind == .rejected)
        #expect(twice?.line == 7)
    }

    @Test func aWrongHashIsDamage() {
        let error = error(Self.segment().bytes(sha256: String(repeating: "0", count: 64)))
        #expect(error?.kind == .damaged)
        #expect(error?.state == "damaged")
        #expect(error?.writer == Self.writer)
    }

    @Test func aFaultInChangedBytesIsDamageAndTellsTheLine() {
        var bytes = Self.segment().bytes()
        if let place = bytes.firstRange(of: Array("\"Ann\"".utf8))?.lowerBound { bytes[place] = 0xFF }
        let error = error(bytes)
        #expect(error?.kind == .damaged)
        #expect(error?.line == 3)
    }

    @Test func wrongCountsAreRejected() {
        #expect(error(Self.segment().bytes(end: 3))?.kind == .rejected)
        #expect(error(Self.segment().bytes(transactions: 3))?.kind == .rejected)
        let changes = error(Self.segment().bytes(changes: 2))
        #expect(changes?.kind == .rejected)
        #expect(changes?.reason == "the number of changes in the end line is 2, there are 3")
        #expect(changes?.line == 7)
    }

    @Test(arguments: [
        "{\"tributary\":2,\"writer\":\"\(writer)\",\"first\":1,\"last\":2}",
        "{\"tributary\":1,\"writer\":\"\(id)\",\"first\":1,\"last\":2}",
        "{\"tributary\":1,\"writer\":\"\(writer)\",\"first\":1,\"last\":3}",
        "{\"tributary\":1,\"writer\":\"\(writer)\",\"first\":2,\"last\":2}",
        "{\"tributary\":1,\"writer\":\"nobody\",\"first\":1,\"last\":2}",
        "{\"tributary\":1,\"writer\":\"\(writer)\",\"first\":1}",
        "{\"tributary\":1,\"writer\":\"\(writer)\",\"first\":1,\"last\":2,\"previous\":\"abc\"}",
        "{\"writer\":\"\(writer)\",\"first\":1,\"last\":2}", "[]", "{}", "", "tributary",
    ])
    func aWrongHeaderIsRejected(_ header: String) {
        let error = error(Self.segment(header: header).bytes())
        #expect(error?.kind == .rejected)
        #expect(error?.line == 1)
    }

    @Test(arguments: [
        (0, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40000\",\"changes\":2}"),
        (3, "{\"transaction\":3,\"clock\":\"019aa3f1c2d40001\",\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40000\",\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":\"ffffffffc2d40000\",\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":\"019AA3F1C2D40001\",\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":19,\"changes\":1}"), (3, "{\"transaction\":2,\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\"}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":-1}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":1.0}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":1,\"seen\":[]}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":1,\"seen\":{\"x\":1}}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":1,\"changes\":1}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":0}"),
        (3, "{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":9223372036854775807}"),
        (0, "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":3}"), (3, ""), (3, " "),
    ])
    func aWrongTransactionIsRejected(_ line: Int, _ text: String) {
        let error = error(Self.segment(Self.with(line, text)).bytes(transactions: 2, changes: 3))
        #expect(error?.kind == .rejected)
        #expect(error?.line != nil)
        #expect(error?.sequence != nil)
    }

    @Test(arguments: [
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":{\"a\":NaN}}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":{\"a\":Infinity}}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":{\"a\":1,\"a\":2}}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"id\":\"\(id)\"}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"x\":1,\"\\u0078\":1}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":{\"a\":[[[[[[[1]]]]]]]}}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"x\":[[[[[[[[1]]]]]]]]}",
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":null}", "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":[]}",
        "{\"insert\":\"E\",\"id\":\"0190f1a2-0000-7000-8000-00000000000\"}", "{\"insert\":\"E\",\"id\":17}",
        "{\"insert\":\"E\"}", "{\"insert\":1,\"id\":\"\(id)\"}", "{\"id\":\"\(id)\"}",
        "{\"upsert\":\"E\",\"id\":\"\(id)\"}",
        "{\"insert\":\"E\",\"delete\":\"E\",\"id\":\"\(id)\"}", "{\"link\":\"E\",\"id\":\"\(id)\",\"to\":\"p\"}",
        "{\"link\":\"E\",\"id\":\"\(id)\",\"ids\":[]}",
        "{\"link\":\"E\",\"id\":\"\(id)\",\"to\":\"p\",\"ids\":[\"x\"]}",
        "{\"link\":\"E\",\"id\":\"\(id)\",\"to\":\"p\",\"ids\":[\"\(id)\"],\"positions\":[]}",
        "{\"insert\":\"E\",\"id\":\"\(id)\"} {}", "{\"insert\":\"E\",\"id\":\"\(id)\"", "[]", "", "\t", "insert",
        "{\"end\":2,\"transactions\":2,\"changes\":3,\"sha256\":\"\"}",
    ])
    func aWrongChangeIsRejected(_ text: String) {
        let error = error(Self.segment(Self.with(2, text)).bytes())
        #expect(error?.kind == .rejected)
        #expect(error?.line == 4)
        #expect(error?.sequence == 1)
    }

    /// After rows, which are compared with a template, as after changes that are parsed.
    @Test(arguments: [
        [insert(1), insert(2), deletion], [deletion, insert(1), insert(2), insert(3), deletion],
        [deletion, update, deletion], [link, deletion],
    ])
    func aDeletionAfterAnotherChangeIsRejected(_ changes: [String]) {
        let begin = "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":\(changes.count)}"
        for kept in [0, UInt64.max] {
            let segment = SegmentText(writer: Self.writer, last: 1, [begin] + changes)
            let error = #expect(throws: SegmentError.self) {
                try SegmentVerifier(keptBytes: kept).verify(MemorySegment(segment.bytes()), name: segment.name)
            }
            #expect(error?.kind == .rejected && error?.line == 2 + changes.count && error?.sequence == 1)
            #expect(error?.writer == Self.writer)
            #expect(error?.reason.contains("write all deletions before") == true)
        }
    }

    /// What was read of a transaction is forgotten at the next one.
    @Test func eachTransactionMayBeginWithDeletions() throws {
        let lines = (1...3).flatMap { number in
            let begin = "{\"transaction\":\(number),\"clock\":\"019aa3f1c2d4000\(number)\",\"changes\":4}"
            return [begin, Self.deletion, Self.deletion, Self.insert(1), Self.link]
        }
        let segment = SegmentText(writer: Self.writer, last: 3, lines)
        #expect(throws: Never.self) {
            try SegmentVerifier().verify(MemorySegment(segment.bytes()), name: segment.name)
        }
    }

    private static let deletion = "{\"delete\":\"E\",\"id\":\"\(id)\"}"
    private static let update = "{\"update\":\"E\",\"id\":\"\(id)\",\"values\":{\"c\":{\"increment\":1}}}"
    private static let link = "{\"link\":\"E\",\"id\":\"\(id)\",\"to\":\"r\",\"ids\":[]}"

    private static func insert(_ value: Int) -> String {
        "{\"insert\":\"E\",\"id\":\"\(id)\",\"values\":{\"a\":\(value)}}"
    }

    @Test func invalidUTF8IsRejected() {
        var body = Self.segment().body
        if let place = body.firstRange(of: Array("Ann".utf8))?.lowerBound { body[place] = 0xFF }
        let error = error(body + Self.segment().endLine(of: body))
        #expect(error?.kind == .rejected)
        #expect(error?.line == 3)
        #expect(error?.reason == "the bytes are not UTF-8")
    }

    @Test func aLineOver16MiBIsRejected() throws {
        func change(length: Int) -> String {
            let empty = "{\"insert\":\"E\",\"id\":\"\(Self.id)\",\"values\":{\"a\":\"\"}}".utf8.count
            let text = String(repeating: "x", count: length - empty)
            return "{\"insert\":\"E\",\"id\":\"\(Self.id)\",\"values\":{\"a\":\"\(text)\"}}"
        }
        let longest = Self.segment(Self.with(2, change(length: 16 << 20)))
        #expect(throws: Never.self) {
            try SegmentVerifier().verify(MemorySegment(longest.bytes()), name: longest.name)
        }
        for length in [16 << 20 + 1, 17 << 20] {
            let error = error(Self.segment(Self.with(2, change(length: length))).bytes())
            #expect(error?.kind == .rejected)
            #expect(error?.line == 4)
            #expect(error?.reason == "the line is longer than 16 MiB")
        }
    }

    @Test func numbersThatNoModelHoldsAreNoFault() throws {
        let lines = Self.with(
            1,
            "{\"insert\":\"Unknown\",\"id\":\"\(Self.id)\",\"values\":{\"a\":9223372036854775808,\"b\":1e999,\"c\":[true]}}"
        )
        let segment = Self.segment(lines)
        let source = MemorySegment(segment.bytes())
        let verified = try SegmentVerifier().verify(source, name: segment.name)
        let batch = try SegmentReader(source, segment: verified).nextBatch(limit: 100)
        guard case .changes(let changes)? = batch?.events.dropFirst().first else {
            Issue.record("no changes")
            return
        }
        #expect(
            changes.first?.operation
                == .insert([
                    PropertyWrite(name: "a", value: .unrepresentable("9223372036854775808")),
                    PropertyWrite(name: "b", value: .unrepresentable("1e999")),
                    PropertyWrite(name: "c", value: .array([.boolean(true)])),
                ])
        )
    }

    @Test func unknownKeysAreIgnored() throws {
        let segment = Self.segment(
            Self.good.map { $0.dropLast() + ",\"comment\":{\"a\":[1]}}" },
            header: "{\"x\":1,\"tributary\":1,\"writer\":\"\(Self.writer)\",\"first\":1,\"last\":2}"
        )
        #expect(throws: Never.self) {
            try SegmentVerifier().verify(MemorySegment(segment.bytes()), name: segment.name)
        }
    }

    @Test func theErrorSaysWhatToDo() {
        let error = error(Self.segment(Self.with(2, "{}")).bytes())
        #expect(
            error?.description
                == "memory.tlog:4: none of insert, update, delete, link, unlink is there (transaction 1)"
        )
        #expect(error?.hint.isEmpty == false)
        #expect(error?.kind == .rejected)
    }
}
