import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// The limits of names and positions in a line; a segment that exceeds one is rejected with the reason.
@Suite struct LogLimitTests {
    private typealias Bad = BadSegmentTests

    private func verify(_ segment: SegmentText) throws(SegmentError) -> VerifiedSegment {
        try SegmentVerifier().verify(MemorySegment(segment.bytes()), name: segment.name)
    }

    private func header(_ member: String) -> String {
        "{\"tributary\":1,\"writer\":\"\(Bad.writer)\",\"first\":1,\"last\":2,\(member)}"
    }

    private func transaction(_ member: String) -> [String] {
        Bad.with(0, "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":2,\(member)}")
    }

    private func entries(_ count: Int, sequence: Int) -> String {
        let entries = (0..<count).map { "\"\(UniqueID(high: 0x7000, low: UInt64($0)))\":\(sequence)" }
        return "\"seen\":{\(entries.joined(separator: ","))}"
    }

    @Test(arguments: ["name", "model"]) func aHeaderHoldsTextsOf256Bytes(key: String) throws {
        // Each character has two bytes: the limit counts bytes, not characters.
        let text = String(repeating: "ä", count: 128)
        _ = try verify(Bad.segment(header: header("\"\(key)\":\"\(text)\"")))
        let error = #expect(throws: SegmentError.self) {
            try verify(Bad.segment(header: header("\"\(key)\":\"\(text)x\"")))
        }
        #expect(error?.kind == .rejected)
        #expect(error?.line == 1)
        #expect(error?.reason == "'\(key)' has 257 bytes, more than 256")
    }

    @Test func anAuthorHasAtMost256Bytes() throws {
        let text = String(repeating: "a", count: 256)
        _ = try verify(Bad.segment(transaction("\"author\":\"\(text)\"")))
        let error = #expect(throws: SegmentError.self) {
            try verify(Bad.segment(transaction("\"author\":\"\(text)a\"")))
        }
        #expect(error?.kind == .rejected)
        #expect(error?.reason.hasSuffix("'author' has 257 bytes, more than 256") == true)
    }

    @Test func aTransactionNamesAtMost10000Writers() throws {
        let good = try verify(Bad.segment(transaction(entries(10_000, sequence: 1))))
        #expect(good.dependencies.map(\.seen.count) == [10_000])
        let error = #expect(throws: SegmentError.self) {
            try verify(Bad.segment(transaction(entries(10_001, sequence: 0))))
        }
        #expect(error?.kind == .rejected)
        #expect(error?.reason.hasSuffix("'seen' has 10001 entries, more than 10000") == true)
    }

    @Test func anEntryOfZeroSaysNothing() throws {
        #expect(try verify(Bad.segment(transaction(entries(3, sequence: 0)))).dependencies.isEmpty)
    }

    @Test func planningDataAreBoundedByTheirEntries() throws {
        let line = entries(10_000, sequence: 1)
        let clock = HybridClock("019aa3f1c2d40000")?.rawValue ?? 0
        let lines = (1...30).map { number in
            let text = HybridClock(rawValue: clock + UInt64(number)).description
            return "{\"transaction\":\(number),\"clock\":\"\(text)\",\"changes\":0,\(line)}"
        }
        let segment = try verify(SegmentText(writer: Bad.writer, last: 30, lines))
        #expect(segment.dependencies.count == 26)
        #expect(segment.dependencies.last?.sequence == 26)
    }

    @Test func writtenLinesKeepTheLimits() {
        let long = String(repeating: "a", count: 255) + "äb"
        let header = SegmentHeader(writer: Bad.writer, name: long, first: 1, last: 1, model: long)
        #expect(header.name == String(repeating: "a", count: 255))
        #expect(header.model == header.name)
        let transaction = TransactionHeader(sequence: 1, clock: .zero, author: long, changeCount: 0)
        #expect(transaction.author == header.name)
    }
}
