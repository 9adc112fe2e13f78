import Foundation
import TestSupport
import Testing
import TributaryChanges

/// Each case of ``MergeRule``, those included that somebody adds later: a new case does not compile here without a tie.
@Suite struct EveryMergeRuleTests {
    private typealias State = Register<Version, PropertyValue>
    private let order = WholeVersionOrder()

    /// The rules under which a property is a register, not a set of totals.
    private static let registerRules = MergeRule.allCases.filter { $0 != .counter }

    /// Two writes that the rule does not tell apart, and the value that stands all the same; nil where none can be.
    private func tie(of rule: MergeRule) -> (State, State, stands: PropertyValue)? {
        switch rule {
        case .max:
            // Of equal numbers the one whose bytes in the log are greater stands.
            (state(1, .double(1)), state(2, .integer(1)), stands: .double(1))
        case .min: (state(1, .double(1)), state(2, .integer(1)), stands: .integer(1))
        // Only writes of one transaction have equal versions: of those the last one stands.
        case .latest, .counter: nil
        }
    }

    @Test(arguments: MergeRule.allCases)
    func `a tie is decided by the values, whichever write comes first`(_ rule: MergeRule) throws {
        guard let (one, other, value) = tie(of: rule) else { return }
        for (first, second) in [(one, other), (other, one)] {
            let isAccepted = try rule.accepts(
                second,
                over: first.version,
                holding: first.value,
                after: nil,
                by: order
            )
            #expect((isAccepted ? second : first).value.json.text == value.json.text)
        }
    }

    /// A replica that gets two writes one after the other shows the result of merging two replicas.
    @Test(arguments: registerRules)
    func `accepting a write and merging two registers agree`(_ rule: MergeRule) throws {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<4_000 {
            let draw = round.isMultiple(of: 2) ? MergeLaws.value : MergeLaws.text
            let (first, second) = (state(&generator, draw), state(&generator, draw))
            guard first.version != second.version else { continue }
            let isAccepted = try rule.accepts(
                second,
                over: first.version,
                holding: first.value,
                after: nil,
                by: order
            )
            let merged = try rule.merge(first, second, by: order)
            let shown = (isAccepted ? second : first).value
            #expect(
                shown.json.text == merged?.value.json.text,
                "seed \(generator.seed), round \(round), \(rule): \(first), \(second)"
            )
        }
    }

    /// Deferred writes and the digest keep no version for such a rule, so that the version must not matter.
    @Test(arguments: registerRules.filter { !$0.comparesVersions })
    func `a rule whose values outlive deletions does not look at versions`(_ rule: MergeRule) throws {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<500 {
            let draw = round.isMultiple(of: 2) ? MergeLaws.value : MergeLaws.text
            let values = (0..<4).map { _ in draw(&generator) }
            var shown: Set<String> = []
            for _ in 0..<6 {
                var register: State?
                for value in values.shuffled(using: &generator) {
                    let write = State(version: MergeLaws.version(&generator), value: value)
                    let isAccepted = try rule.accepts(
                        write,
                        over: register?.version,
                        holding: register?.value ?? .null,
                        after: MergeLaws.version(&generator),
                        by: order
                    )
                    if isAccepted { register = write }
                }
                shown.insert(register?.value.json.text ?? "none")
            }
            #expect(shown.count == 1, "seed \(generator.seed), round \(round), \(rule): \(values) show \(shown)")
        }
    }

    /// The article, the beginning of its list of the rules, and what follows the list.
    private static let lists = [
        ("Sources/TributaryChanges/TributaryChanges.docc/MergeRules.md", "has a *merge rule*: ", "."),
        ("Sources/TributaryModel/TributaryModel.docc/YAMLModels.md", "| `merge` | ", ":"),
        (
            "Sources/TributaryModel/TributaryModel.docc/XcodeModels.md",
            "with the key `tributary.merge` and the value ", "."
        ),
        ("Sources/Tributary/Tributary.docc/Glossary.md", "how writes of several writers are joined (", ")"),
    ]

    @Test(arguments: lists)
    func `an article lists every rule`(_ path: String, _ beginning: String, _ end: String) throws {
        let text = try Article.text(of: path)
        let start = try #require(text.range(of: beginning), "\(path) has no list of the merge rules").upperBound
        let list = text[start...].prefix { $0 != end.first }
        #expect(list.matches(of: /`(\w+)`/).map { String($0.1) } == MergeRule.allCases.map(\.rawValue), "\(path)")
    }

    private func state(_ clock: UInt64, _ value: PropertyValue) -> State {
        State(
            version: Version(clock: HybridClock(rawValue: clock), writer: UniqueID(high: 0, low: 1)),
            value: value
        )
    }

    private func state(
        _ generator: inout SeededGenerator,
        _ draw: (inout SeededGenerator) -> PropertyValue
    ) -> State {
        State(version: MergeLaws.version(&generator), value: draw(&generator))
    }
}
