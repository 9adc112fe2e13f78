import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Segments large enough for two threads: each invalid line is found with the error that one thread reports.
@Suite struct LargeSegmentTests {
    private static let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0002)
    private static let count = 12_000

    private static let lines: [String] = {
        let padding = String(repeating: "x", count: 50)
        let changes = (0..<count).map { number in
            let id = UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
            return "{\"insert\":\"Employee\",\"id\":\"\(id)\",\"values\":{\"name\":\"\(padding)\"}}"
        }
        let half = count / 2
        return ["{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":\(half)}"] + changes[..<half]
            + ["{\"transaction\":2,\"clock\":\"019aa3f1c2d40001\",\"changes\":\(half)}"] + changes[half...]
    }()

    @Test func theGoodOneIsGood() throws {
        let text = SegmentText(writer: Self.writer, last: 2, Self.lines)
        #expect(text.body.count > 1 << 20)
        let segment = try SegmentVerifier().verify(MemorySegment(text.bytes()), name: text.name)
        #expect(segment.end.changes == UInt64(Self.count))
    }

    @Test func aBadLineIsFoundInEitherShareAndToldWithItsNumber() throws {
        var random = SeededGenerator.fromEnvironment()
        let inserts = Self.lines.indices.filter { Self.lines[$0].hasPrefix("{\"insert\"") }
        for _ in 0..<24 {
            let place = try #require(inserts.randomElement(using: &random))
            var lines = Self.lines
            lines[place] = "{\"insert\":\"Employee\",\"id\":\"no-uuid\",\"values\":{}}"
            let text = SegmentText(writer: Self.writer, last: 2, lines)
            let found = #expect(throws: SegmentError.self, "seed \(random.seed)") {
                try SegmentVerifier().verify(MemorySegment(text.bytes()), name: text.name)
            }
            #expect(found?.kind == .rejected, "seed \(random.seed)")
            // Lines count from 1, and the header is the first.
            #expect(found?.line == place + 2, "seed \(random.seed)")
        }
    }

    @Test func aChangedByteIsFoundByTheHash() throws {
        var random = SeededGenerator.fromEnvironment()
        let text = SegmentText(writer: Self.writer, last: 2, Self.lines)
        let good = text.bytes()
        for _ in 0..<8 {
            var bytes = good
            let place = Int.random(in: 0..<text.body.count, using: &random)
            bytes[place] ^= 1
            let source = MemorySegment(bytes)
            #expect(throws: SegmentError.self, "seed \(random.seed), byte \(place)") {
                try SegmentVerifier().verify(source, name: text.name)
            }
        }
    }
}
