import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Which exported segments a log folder lacks, against the rule word by word.
@Suite struct MissingExportTests {
    private let writer = UniqueID(high: 1, low: 1)

    private func record(_ bounds: ClosedRange<UInt64>) -> SegmentRecord {
        SegmentRecord(writer: writer, first: bounds.lowerBound, last: bounds.upperBound, sha256: "")
    }

    private func name(_ bounds: ClosedRange<UInt64>) -> SegmentName {
        SegmentName(writer: writer, first: bounds.lowerBound, last: bounds.upperBound)
    }

    private func missing(
        _ records: [ClosedRange<UInt64>],
        after released: UInt64,
        among names: [ClosedRange<UInt64>]
    ) -> [ClosedRange<UInt64>] {
        CompactionFacts.missing(records.map(record), after: released, among: names.map(name)).map { $0.first...$0.last }
    }

    @Test func aSegmentIsMissingUnlessOthersHaveItOrItsTransactionsAreThere() {
        #expect(missing([1...1, 2...3], after: 0, among: []) == [1...1, 2...3])
        #expect(missing([1...1, 2...3], after: 1, among: []) == [2...3])
        #expect(missing([1...1, 2...3], after: 2, among: [3...3]) == [])
        #expect(missing([1...1, 2...3, 4...4], after: 0, among: [1...1, 4...4]) == [2...3])
        #expect(missing([1...4], after: 0, among: [1...2, 3...4]) == [])
        #expect(missing([1...4], after: 0, among: [1...2, 4...4]) == [1...4])
        #expect(missing([2...2, 3...3], after: 0, among: [1...9]) == [])
    }

    @Test func randomFoldersAgreeWithTheRule() {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<2_000 {
            var records: [ClosedRange<UInt64>] = []
            var next: UInt64 = 1
            while next < 12 {
                let last = next + UInt64.random(in: 0...2, using: &random)
                records.append(next...last)
                next = last + 1
            }
            let names = records.filter { _ in Bool.random(using: &random) }
            let other = UInt64.random(in: 1...12, using: &random)
            let all = (names + (Bool.random(using: &random) ? [other...(other + 1)] : []))
                .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
            let released = UInt64.random(in: 0...12, using: &random)
            let there = Set(all.joined())
            let expected = records.filter { record in record.contains { $0 > released && !there.contains($0) } }
            #expect(missing(records, after: released, among: all) == expected, "\(records) \(released) \(all)")
        }
    }
}
