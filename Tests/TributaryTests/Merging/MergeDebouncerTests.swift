import Testing

@testable import Tributary

/// The debouncer against times from a table: a quiet period of 1 s, a ceiling of 5 s.
struct MergeDebouncerTests {
    enum Event: Sendable {
        case announce(Double)
        case timer(Double)
        case merged
        case failed(Double)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [(Event, MergeDebouncer.Action?)]
        var testDescription: String { name }
    }

    private static func at(_ seconds: Double) -> Duration { .milliseconds(Int(seconds * 1000)) }
    private static func sleep(_ seconds: Double) -> MergeDebouncer.Action { .sleep(until: at(seconds)) }

    static let cases: [Case] = [
        Case(name: "a timer without an announcement does nothing", steps: [(.timer(1), MergeDebouncer.Action.none)]),
        Case(
            name: "one announcement merges after the quiet period",
            steps: [
                (.announce(0), sleep(1)), (.timer(1), .merge), (.merged, nil), (.timer(2), MergeDebouncer.Action.none),
            ]
        ),
        Case(
            name: "a timer that ends too early sleeps on",
            steps: [(.announce(0), sleep(1)), (.timer(0.5), sleep(1)), (.timer(1), .merge)]
        ),
        Case(
            name: "each announcement starts the quiet period again, with one timer",
            steps: [
                (.announce(0), sleep(1)), (.announce(0.5), MergeDebouncer.Action.none),
                (.announce(0.9), MergeDebouncer.Action.none), (.timer(1), sleep(1.9)), (.timer(1.9), .merge),
            ]
        ),
        Case(
            name: "an announcement at the very moment of the deadline is still waited for",
            steps: [(.announce(0), sleep(1)), (.announce(1), MergeDebouncer.Action.none), (.timer(1), sleep(2))]
        ),
        Case(
            name: "a steady stream cannot pass the ceiling",
            steps: [
                (.announce(0), sleep(1)), (.announce(0.9), MergeDebouncer.Action.none), (.timer(1), sleep(1.9)),
                (.announce(1.8), MergeDebouncer.Action.none), (.announce(2.7), MergeDebouncer.Action.none),
                (.timer(1.9), sleep(3.7)), (.announce(3.6), MergeDebouncer.Action.none), (.timer(3.7), sleep(4.6)),
                (.announce(4.5), MergeDebouncer.Action.none), (.timer(4.6), sleep(5)),
                (.announce(4.9), MergeDebouncer.Action.none), (.timer(5), .merge),
            ]
        ),
        Case(
            name: "the ceiling counts anew after a merge",
            steps: [
                (.announce(0), sleep(1)), (.announce(4.9), MergeDebouncer.Action.none), (.timer(5), .merge),
                (.merged, nil), (.announce(5), sleep(6)), (.timer(6), .merge),
            ]
        ),
        Case(
            name: "a merge before the timer's end leaves nothing to do",
            steps: [(.announce(0), sleep(1)), (.merged, nil), (.timer(1), MergeDebouncer.Action.none)]
        ),
        Case(
            name: "a merge that failed is tried again after a quiet period",
            steps: [
                (.announce(0), sleep(1)), (.timer(1), .merge), (.failed(1), sleep(2)), (.timer(1.5), sleep(2)),
                (.timer(2), .merge), (.merged, nil), (.timer(3), MergeDebouncer.Action.none),
            ]
        ),
        Case(
            name: "a merge that failed is not tried again at each announcement",
            steps: [
                (.announce(0), sleep(1)), (.timer(5), .merge), (.failed(5), sleep(6)),
                (.announce(5.5), MergeDebouncer.Action.none), (.timer(6), sleep(6.5)), (.timer(6.5), .merge),
            ]
        ),
    ]

    @Test(arguments: cases) func table(_ one: Case) {
        var debouncer = MergeDebouncer(quiet: .seconds(1), ceiling: .seconds(5))
        for (index, (event, expected)) in one.steps.enumerated() {
            let action: MergeDebouncer.Action? =
                switch event {
                case .announce(let time): debouncer.announce(at: Self.at(time))
                case .timer(let time): debouncer.timerFired(at: Self.at(time))
                case .failed(let time): debouncer.failed(at: Self.at(time))
                case .merged:
                    { () -> MergeDebouncer.Action? in
                        debouncer.merged()
                        return nil
                    }()
                }
            #expect(action == expected, "step \(index + 1) of '\(one.name)'")
        }
    }

    @Test func limitsTakeEffectWithTheNextAnnouncement() {
        var debouncer = MergeDebouncer(quiet: .seconds(1), ceiling: .seconds(5))
        #expect(debouncer.announce(at: .zero) == .sleep(until: .seconds(1)))
        debouncer.quiet = .milliseconds(100)
        #expect(debouncer.deadline == .seconds(1))
        #expect(debouncer.announce(at: .milliseconds(200)) == .sleep(until: .milliseconds(300)))
        #expect(debouncer.timerFired(at: .milliseconds(300)) == .merge)
    }

    @Test func aQuietPeriodBeyondTheCeilingIsCut() {
        var debouncer = MergeDebouncer(quiet: .seconds(9), ceiling: .seconds(5))
        #expect(debouncer.announce(at: .zero) == .sleep(until: .seconds(5)))
    }
}
