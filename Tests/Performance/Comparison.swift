import TestSupport

/// What a ratio is held against: the goal is only shown, the limit fails the program.
enum Bounds {
    /// Of what is to be as fast as the other, which is 1.
    case atLeast(goal: Double, limit: Double?)
    /// Of what may take so many times what the other takes.
    case atMost(goal: Double, limit: Double?)

    /// The texts of a column: the bound, and whether it holds.
    fileprivate func texts(_ value: Double, isGoal: Bool) -> [String] {
        let (sign, bound, holds) =
            switch self {
            case .atLeast(let goal, let limit): ("≥", isGoal ? goal : limit, { value >= $0 })
            case .atMost(let goal, let limit): ("≤", isGoal ? goal : limit, { value <= $0 })
            } as (String, Double?, (Double) -> Bool)
        guard let bound else { return ["", ""] }
        let verdicts = isGoal ? ("reached", "missed") : ("kept", "NOT KEPT")
        return ["\(sign) \(Comparison.rounded(bound))", holds(bound) ? verdicts.0 : verdicts.1]
    }
}

/// A row of the table: efforts of ours and of another, taken in turns, so that both see the same machine.
struct Comparison {
    let title: String
    let bounds: Bounds
    /// What the other does and does not do.
    let beside: String
    /// How many changes or saves an effort is; 0 for what is no effort.
    private let count: Int
    private var pairs: [(ours: Cost, other: Cost)] = []

    typealias Cost = (clock: Double, processor: Double)

    init(_ title: String, _ bounds: Bounds, beside: String, count: Int = 0) {
        (self.title, self.bounds, self.beside, self.count) = (title, bounds, beside, count)
    }

    mutating func add(ours: Cost, other: Cost) { pairs.append((ours, other)) }

    mutating func add(ours: Effort, other: Effort) {
        add(ours: (ours.wall, ours.processor), other: (other.wall, other.processor))
    }

    /// Two numbers that are no times.
    mutating func add(ours: Double, other: Double) { add(ours: (ours, ours), other: (other, other)) }

    /// Adds what a block that does not wait takes.
    static func spend(on cost: inout Cost, _ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        cost.processor += try Effort.measured(body)
        cost.clock += (ContinuousClock.now - start) / .seconds(1)
    }

    /// How fast ours is with the other as 1; or what ours takes, where that is bounded from above.
    private func ratios(_ part: (Cost) -> Double) -> [Double] {
        pairs.map { ours, other in
            if case .atMost = bounds { part(ours) / part(other) } else { part(other) / part(ours) }
        }
    }

    /// Whether the limit is kept, by the processor time, which hardly changes when other programs use the machine.
    var isKept: Bool { limit[2] != "NOT KEPT" }

    private var limit: [String] { column(\.processor, isGoal: false) }

    private func column(_ part: (Cost) -> Double, isGoal: Bool) -> [String] {
        let value = Self.median(ratios(part))
        return [Self.rounded(value)] + bounds.texts(value, isGoal: isGoal)
    }

    static let heading = columns(
        ["", "by the clock", "goal", "", "by processor time", "limit", "", "ours and the other's"]
    )

    var line: String {
        let range = ratios(\.clock)
        var goal = column(\.clock, isGoal: true)
        goal[0] += " (\(Self.rounded(range.min() ?? 0)) to \(Self.rounded(range.max() ?? 0)))"
        return Self.columns(
            [title] + goal + limit + ["\(figure(pairs.map(\.ours.clock))) and \(figure(pairs.map(\.other.clock)))"]
        )
    }

    private func figure(_ values: [Double]) -> String {
        let value = Self.median(values)
        if count == 0 { return Self.rounded(value) }
        return count >= 10_000
            ? "\(Int(Double(count) / value / 1_000)) k/s" : "\(Int(value / Double(count) * 1_000_000)) µs"
    }

    private static func columns(_ texts: [String]) -> String {
        zip(texts, [50, 21, 8, 9, 19, 8, 10, 0]).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }.joined()
    }

    static func rounded(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
