import TestSupport
import Testing
import TributaryChanges

@Suite struct LinkStateTests {
    private typealias State = LinkState<Version>
    private let order = WholeVersionOrder()

    @Test func `links, unlinks and deletions of both ends in any order end in one state`() throws {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<500 {
            var versions = Set<Version>()
            while versions.count < 5 { versions.insert(MergeLaws.version(&generator)) }
            let events = versions.sorted().map { version in
                (version, kind: Int.random(in: 0...4, using: &generator))
            }
            let expected = try state(events)
            for _ in 0..<6 {
                let shuffled = events.shuffled(using: &generator)
                #expect(try state(shuffled) == expected, "seed \(generator.seed), round \(round): \(shuffled)")
            }
        }
    }

    /// Returns the state of the pair after the events: kinds 0 and 1 delete an end, 2 unlinks, the others link.
    private func state(_ events: [(Version, kind: Int)]) throws -> State? {
        var (pair, deletions): (State?, (Version?, Version?)) = (nil, (nil, nil))
        for (version, kind) in events {
            switch kind {
            case 0, 1:
                if kind == 0 { deletions.0 = try order.later(deletions.0, version) }
                if kind == 1 { deletions.1 = try order.later(deletions.1, version) }
                if let known = pair, try order.isSuperseded(known.version, by: version) { pair = nil }
            default:
                let write = State(version: version, isRemoved: kind == 2, position: kind == 2 ? nil : "\(kind)")
                let isAccepted = try State.accepts(
                    write,
                    over: pair,
                    after: deletions.0,
                    and: deletions.1,
                    by: order
                )
                guard isAccepted else { continue }
                pair = write
            }
        }
        return pair
    }
}
