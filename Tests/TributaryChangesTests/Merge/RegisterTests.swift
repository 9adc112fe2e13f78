import TestSupport
import Testing
import TributaryChanges

@Suite struct RegisterTests {
    private typealias State = Register<Version, PropertyValue>
    private let order = WholeVersionOrder()

    @Test(arguments: MergeRule.allCases.filter { $0 != .counter })
    func `merging two replicas is commutative, associative and idempotent`(_ rule: MergeRule) throws {
        for draw in [MergeLaws.value, MergeLaws.text] {
            try MergeLaws.check(
                { generator -> State? in
                    if Int.random(in: 0...5, using: &generator) == 0 { return nil }
                    return State(version: MergeLaws.version(&generator), value: draw(&generator))
                },
                { try rule.merge($0, $1, by: order) }
            )
        }
    }

    @Test func `the greatest version stands, also when it arrives first`() throws {
        let early = State(version: version(1), value: .integer(10))
        let late = State(version: version(2), value: .integer(5))
        #expect(try accepts(.latest, late, over: early))
        #expect(try !accepts(.latest, early, over: late))
        #expect(try !accepts(.max, late, over: early))
        #expect(try accepts(.min, late, over: early))
    }

    @Test func `a deletion supersedes earlier writes of latest alone`() throws {
        let write = State(version: version(1), value: .integer(1))
        for rule in MergeRule.allCases {
            let isAccepted = try rule.accepts(write, over: nil, holding: .null, after: version(2), by: order)
            #expect(isAccepted == !rule.comparesVersions)
        }
        #expect(try order.isSuperseded(version(1), by: version(2)))
        #expect(try !order.isSuperseded(version(3), by: version(2)))
    }

    @Test func `of equal versions the later arrival stands, and a deletion supersedes none`() throws {
        let (first, second) = (
            State(version: version(1), value: .integer(2)), State(version: version(1), value: .integer(1))
        )
        #expect(try accepts(.latest, second, over: first))
        #expect(try !order.isSuperseded(version(1), by: version(1)))
    }

    @Test func `values of unlike kinds and equal numbers have an order too`() {
        let sorted: [PropertyValue] = [.integer(1), .double(1), .double(1.5), .integer(2)]
        for (left, first) in sorted.enumerated() {
            for (right, second) in sorted.enumerated() { #expect(first.precedes(second) == (left < right)) }
        }
        #expect(PropertyValue.binary([1]).precedes(.blob(sha256: "ab", size: 1)))
        #expect(!PropertyValue.blob(sha256: "ab", size: 1).precedes(.binary([1])))
        #expect(PropertyValue.string("e\u{301}").precedes(.string("é")))
        #expect(PropertyValue.integer(0).replaces(.null, under: .min))
        #expect(!PropertyValue.null.replaces(.integer(0), under: .max))
    }

    private func accepts(_ rule: MergeRule, _ write: State, over known: State) throws -> Bool {
        try rule.accepts(write, over: known.version, holding: known.value, after: nil, by: order)
    }

    private func version(_ clock: UInt64) -> Version {
        Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1))
    }
}
