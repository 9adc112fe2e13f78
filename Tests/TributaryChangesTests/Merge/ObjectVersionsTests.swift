import TestSupport
import Testing
import TributaryChanges

@Suite struct ObjectVersionsTests {
    private typealias State = ObjectVersions<Version, Int>
    private let order = WholeVersionOrder()

    @Test func `merging two replicas is commutative, associative and idempotent`() throws {
        try MergeLaws.check(
            { generator -> State in
                let isInserted = Int.random(in: 0...3, using: &generator) > 0
                let isDeleted = Bool.random(using: &generator)
                let insert = (MergeLaws.version(&generator), Int.random(in: 1...3, using: &generator))
                let deleted = MergeLaws.version(&generator)
                return State(insert: isInserted ? insert : nil, deleted: isDeleted ? deleted : nil)
            },
            { try $0.merged(with: $1, by: order) }
        )
    }

    @Test func `inserts and deletions in any order end in one state, which is that of merged replicas`() throws {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        for round in 0..<500 {
            var versions = Set<Version>()
            while versions.count < 5 { versions.insert(MergeLaws.version(&generator)) }
            let events = versions.sorted().map { version in
                (version, isDeletion: Bool.random(using: &generator), entity: Int.random(in: 1...3, using: &generator))
            }
            func state(_ events: [(Version, isDeletion: Bool, entity: Int)]) throws -> State {
                var state = State()
                for (version, isDeletion, entity) in events {
                    if isDeletion {
                        _ = try state.delete(at: version, by: order)
                    } else {
                        _ = try state.insert(at: version, entity: entity, by: order)
                    }
                }
                return state
            }
            let expected = try state(events)
            for _ in 0..<6 {
                let shuffled = events.shuffled(using: &generator)
                let middle = Int.random(in: 0...shuffled.count, using: &generator)
                let place: Comment = "seed \(generator.seed), round \(round): \(shuffled)"
                #expect(try state(shuffled) == expected, place)
                let (one, other) = (Array(shuffled[..<middle]), Array(shuffled[middle...]))
                #expect(try state(one).merged(with: state(other), by: order) == expected, place)
            }
        }
    }

    @Test func `an object is visible when its insert is not before its deletion`() throws {
        var state = State()
        #expect(try !state.isVisible(by: order))
        #expect(try state.delete(at: version(2), by: order))
        #expect(try !state.isVisible(by: order))
        #expect(try state.insert(at: version(1), entity: 1, by: order))
        #expect(try !state.isVisible(by: order))
        #expect(try state.insert(at: version(3), entity: 2, by: order))
        #expect(try state.isVisible(by: order))
        #expect(try !state.insert(at: version(2), entity: 3, by: order))
        #expect(state.entity == 2)
        #expect(try !state.delete(at: version(1), by: order))
        #expect(try state.delete(at: version(3), by: order))
        #expect(try state.isVisible(by: order), "an insert and a deletion of one version")
    }

    private func version(_ clock: UInt64) -> Version {
        Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1))
    }
}
