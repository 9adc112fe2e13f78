import Testing
import TributaryChanges

@testable import TributarySync

/// Which unpublished transactions a baseline proves to be published, case by case.
///
/// The store has the unpublished transactions 4, 5, 6 and 7 with the clocks 40, 50, 60 and 70.
@Suite struct TransactionTracesTests {
    /// A transaction of the store's writer in a baseline.
    struct Trace: Sendable {
        var sequence: UInt64
        var clock: UInt64
        /// Whether its content is that of the store's transaction; nil when nothing of it is shown.
        var isEqual: Bool?

        init(_ sequence: UInt64, _ clock: UInt64, _ isEqual: Bool? = true) {
            (self.sequence, self.clock, self.isEqual) = (sequence, clock, isEqual)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var traces: [Trace]
        var published: UInt64?

        init(_ name: String, _ traces: [Trace], _ published: UInt64?) {
            (testDescription, self.traces, self.published) = (name, traces, published)
        }
    }

    static let cases = [
        Case("nothing is shown", [], nil),
        Case("only published ones are shown", [Trace(2, 20), Trace(3, 31, false)], nil),
        Case("one proves those before it", [Trace(6, 60)], 6),
        Case("the last one counts", [Trace(4, 40), Trace(7, 70)], 7),
        Case("several changes of one", [Trace(5, 50), Trace(5, 50)], 5),
        Case("a later one proves nothing", [Trace(9, 90)], nil),
        Case("a later one does not contradict", [Trace(5, 50), Trace(9, 90)], 5),
        Case("the end of the baseline alone proves nothing", [Trace(6, 60, nil)], nil),
        Case("the end of the baseline agrees", [Trace(6, 60), Trace(6, 60, nil)], 6),
        Case("another clock under the sequence", [Trace(6, 61)], nil),
        Case("the copies part after a common one", [Trace(5, 50), Trace(6, 61)], 5),
        Case("the end shows that they part", [Trace(5, 50), Trace(7, 65, nil)], 5),
        Case("an equal clock with other content", [Trace(5, 50, false)], nil),
        Case("other content between equal ones", [Trace(4, 40), Trace(5, 50, false), Trace(6, 60)], 4),
        Case("an equal one past another, in any order", [Trace(6, 60), Trace(5, 51)], nil),
        Case("content differs in one of its changes", [Trace(5, 50), Trace(5, 50, false)], nil),
        Case("a later one with a lesser clock", [Trace(4, 40), Trace(6, 60), Trace(9, 55, nil)], 4),
        Case("a later one with the clock of the last one", [Trace(6, 60), Trace(8, 70, nil)], 6),
        Case("a later one before all of them", [Trace(4, 40), Trace(9, 7, nil)], nil),
        Case("the greatest sequence", [Trace(.max, 90), Trace(4, 40)], 4),
    ]

    @Test(arguments: cases) func aBaselineProves(_ example: Case) {
        let clocks = [40, 50, 60, 70].map { HybridClock(rawValue: $0) }
        var traces = TransactionTraces(first: 4, clocks: clocks)
        for trace in example.traces {
            traces.add(trace.sequence, HybridClock(rawValue: trace.clock), isEqual: trace.isEqual)
        }
        #expect(traces.published == example.published)
    }

    @Test func withoutUnpublishedTransactionsNothingIsProved() {
        var traces = TransactionTraces(first: 4, clocks: [])
        traces.add(4, HybridClock(rawValue: 40), isEqual: true)
        #expect(traces.published == nil)
    }
}
