import TestSupport
import Testing
import TributaryChanges

/// The state that stores merge into, held to the laws of a join.
@Suite struct ObjectMergeStateTests {
    private let order = WholeVersionOrder()
    private static let rules = MergeRule.allCases.filter { $0 != .counter }

    private enum Event {
        case insert(entity: Int)
        case delete
        case write(PropertyValue, MergeRule)
    }

    private func event(_ generator: inout SeededGenerator) -> Event {
        switch Int.random(in: 0...5, using: &generator) {
        case 0, 1: .insert(entity: Int.random(in: 1...3, using: &generator))
        case 2: .delete
        default: .write(MergeLaws.value(&generator), Self.rules.randomElement(using: &generator) ?? .latest)
        }
    }

    private func state(after events: [(Version, Event)]) throws -> MemoryState {
        var state = MemoryState(registers: MemoryRegisters())
        for (version, event) in events {
            switch event {
            case .insert(let entity): _ = try state.insert(at: version, entity: entity, by: order)
            case .delete: _ = try state.delete(at: version, by: order) { $0 }
            case .write(let value, let rule):
                _ = try state.write(Register(version: version, value: value), to: rule, by: rule, order)
            }
        }
        return state
    }

    /// Changes with versions of their own, in the order of these.
    private func events(_ generator: inout SeededGenerator) -> [(Version, Event)] {
        var versions = Set<Version>()
        while versions.count < 7 { versions.insert(MergeLaws.version(&generator)) }
        return versions.sorted().map { ($0, event(&generator)) }
    }

    @Test func `merging two replicas is commutative, associative and idempotent`() throws {
        try MergeLaws.check(
            { generator -> MemoryState in
                // What replicas may have of one version is one and the same.
                let all = (0..<5).map { clock -> (Version, Event) in
                    var events = SeededGenerator(seed: UInt64(clock))
                    return (version(UInt64(clock)), event(&events))
                }
                return (try? state(after: all.filter { _ in Bool.random(using: &generator) }))
                    ?? MemoryState(registers: MemoryRegisters())
            },
            { try $0.merged(with: $1, by: order) }
        )
    }

    @Test func `changes in any order end in one state, which is that of merged replicas`() throws {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<1_000 {
            let events = events(&generator)
            let expected = try state(after: events).shown
            for _ in 0..<6 {
                let shuffled = events.shuffled(using: &generator)
                let middle = Int.random(in: 0...shuffled.count, using: &generator)
                let place: Comment = "seed \(generator.seed), round \(round): \(shuffled)"
                #expect(try state(after: shuffled).shown == expected, place)
                let (one, other) = (Array(shuffled[..<middle]), Array(shuffled[middle...]))
                #expect(try state(after: one).merged(with: state(after: other), by: order).shown == expected, place)
            }
        }
    }

    @Test func `an object is live when its insert is not before its deletion`() throws {
        var state = MemoryState(registers: MemoryRegisters())
        #expect(try !state.isLive(by: order))
        #expect(try state.delete(at: version(2), by: order) { $0 })
        #expect(try !state.isLive(by: order))
        #expect(try state.insert(at: version(1), entity: 1, by: order))
        #expect(try !state.isLive(by: order))
        #expect(try state.insert(at: version(3), entity: 2, by: order))
        #expect(try state.isLive(by: order))
        #expect(try !state.insert(at: version(2), entity: 3, by: order))
        #expect(state.entity == 2)
        #expect(try !state.delete(at: version(1), by: order) { $0 })
        #expect(try state.delete(at: version(3), by: order) { $0 })
        #expect(try state.isLive(by: order), "an insert and a deletion of one version")
    }

    private func version(_ clock: UInt64) -> Version {
        Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1))
    }
}
