import TestSupport
import Testing
import TributaryChanges

/// Draws states and holds a merge of them to the laws of a join: the order, the grouping and the repetition of merges
/// do not matter.
struct MergeLaws {
    static let rounds = 2_000

    /// `draw` draws a state, with versions from a coarse grid, so that equal ones are frequent.
    static func check<State: Equatable>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ draw: (inout SeededGenerator) -> State,
        _ merge: (State, State) throws -> State
    ) throws {
        var generator = SeededGenerator.printingSeed()
        var different = 0
        for round in 0..<rounds {
            let (first, second, third) = (draw(&generator), draw(&generator), draw(&generator))
            let place: Comment = "seed \(generator.seed), round \(round): \(first), \(second), \(third)"
            let both = try merge(first, second)
            if both != first, both != second || first != second { different += 1 }
            let isCommutative = try both == merge(second, first)
            let isAssociative = try merge(both, third) == merge(first, merge(second, third))
            let isIdempotent = try merge(first, first) == first && merge(both, second) == both
            try #require(isCommutative, place, sourceLocation: sourceLocation)
            try #require(isAssociative, place, sourceLocation: sourceLocation)
            try #require(isIdempotent, place, sourceLocation: sourceLocation)
        }
        #expect(different > rounds / 20, "hardly any of the drawn states differ", sourceLocation: sourceLocation)
    }

    /// A version from a grid of few clocks and writers.
    static func version(_ generator: inout SeededGenerator) -> Version {
        Version(
            clock: HybridClock(rawValue: UInt64.random(in: 1...4, using: &generator)),
            writer: UniqueID(high: 0, low: UInt64.random(in: 1...3, using: &generator))
        )
    }

    /// A value of an attribute: null, a number or a text.
    static func value(_ generator: inout SeededGenerator) -> PropertyValue {
        let number = Int64.random(in: -2...2, using: &generator)
        return switch Int.random(in: 0...6, using: &generator) {
        case 0: .null
        case 1: .double(Double(number) / 2)
        case 2: [.double(-0.0), .double(0), .integer(0)].randomElement(using: &generator) ?? .null
        case 3, 4: text(&generator)
        default: .integer(number)
        }
    }

    /// A text or null.
    static func text(_ generator: inout SeededGenerator) -> PropertyValue {
        let texts = ["", "a", "b", "ab", "ba", "é", "e\u{301}"].map(PropertyValue.string)
        return ([.null] + texts).randomElement(using: &generator) ?? .null
    }
}
