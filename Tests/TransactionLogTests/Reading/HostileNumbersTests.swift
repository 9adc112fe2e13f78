import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Segments with any numbers are accepted or refused; in a debug build each overflow would trap.
@Suite struct HostileNumbersTests {
    private let writer = UniqueID(high: 0xA, low: 1)

    @Test func aSegmentMayStateAnyNumbers() throws {
        var generator = SeededGenerator.printingSeed()
        var kinds: Set<SegmentError.Kind> = []
        for _ in LongProofs.rounds(3_000) {
            let first = HostileNumbers.unsigned(&generator)
            let last = generator.next() % 2 == 0 ? first : HostileNumbers.unsigned(&generator)
            let text = SegmentText(
                writer: writer,
                first: first,
                last: last,
                [line(first, &generator), "{\"delete\":\"E\",\"id\":\"\(writer)\"}"],
                header: "{\"tributary\":1,\"writer\":\"\(writer)\",\"first\":\(first),\"last\":\(last)}"
            )
            let body = text.body
            let end = """
                {"end":\(last),"transactions":\(count(1, &generator)),"changes":\(count(1, &generator)),\
                "sha256":"\(SegmentText.hash(body))"}

                """
            let bytes = MemorySegment(body + Array(end.utf8))
            do {
                let after = HostileNumbers.unsigned(&generator)
                let segment = try SegmentVerifier().verify(bytes, name: text.name, dependenciesAfter: after)
                let reader = SegmentReader(bytes, segment: segment, after: HostileNumbers.unsigned(&generator))
                while try reader.nextBatch(limit: 100) != nil {}
            } catch {
                kinds.insert(error.kind)
            }
        }
        #expect(kinds.contains(.rejected))
    }

    @Test func clocksGoOnFromAnyReading() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<10_000 {
            let clock = HybridClock(rawValue: HostileNumbers.unsigned(&generator))
            let next = clock.next(at: WallTime(milliseconds: HostileNumbers.unsigned(&generator)))
            #expect(next > clock || clock.rawValue == .max)
            #expect(HybridClock(milliseconds: HostileNumbers.unsigned(&generator)).wallTime.milliseconds < 1 << 48)
        }
    }

    private func line(_ first: UInt64, _ generator: inout SeededGenerator) -> String {
        let seen = "\"\(UniqueID(high: 1, low: 1))\":\(HostileNumbers.unsigned(&generator))"
        let clock = HybridClock(rawValue: HostileNumbers.unsigned(&generator))
        let sequence = generator.next() % 2 == 0 ? first : HostileNumbers.unsigned(&generator)
        return "{\"transaction\":\(sequence),\"clock\":\"\(clock)\",\"seen\":{\(seen)},"
            + "\"changes\":\(count(1, &generator))}"
    }

    private func count(_ usual: UInt64, _ generator: inout SeededGenerator) -> UInt64 {
        generator.next() % 4 > 0 ? usual : HostileNumbers.unsigned(&generator)
    }
}
