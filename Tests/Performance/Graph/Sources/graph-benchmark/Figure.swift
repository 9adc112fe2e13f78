/// One line of the benchmark's table: what was measured, beside what is to be reached.
struct Figure {
    enum Limit {
        case atMost(Double)
        case atLeast(Double)
        /// Nothing is demanded.
        case none
    }

    let title: String
    let unit: String
    let limit: Limit
    private(set) var values: [Double] = []

    init(_ title: String, unit: String, _ limit: Limit) {
        self.title = title
        self.unit = unit
        self.limit = limit
    }

    mutating func add(_ value: Double) { values.append(value) }

    /// Of several runs the best: what else the machine did only adds.
    var best: Double {
        switch limit {
        case .atMost, .none: values.min() ?? 0
        case .atLeast: values.max() ?? 0
        }
    }

    var isReached: Bool {
        switch limit {
        case .atMost(let bound): best <= bound
        case .atLeast(let bound): best >= bound
        case .none: true
        }
    }

    var line: String {
        let demand =
            switch limit {
            case .atMost(let bound): "at most \(Figure.rounded(bound))"
            case .atLeast(let bound): "at least \(Figure.rounded(bound))"
            case .none: "no limit"
            }
        let range = "\(Figure.rounded(values.min() ?? 0)) to \(Figure.rounded(values.max() ?? 0))"
        let verdict = isReached ? "" : "  MISSED"
        return "\(title): \(Figure.rounded(best)) \(unit) (\(range); \(demand))\(verdict)"
    }

    private static func rounded(_ value: Double) -> String {
        if value >= 100 { return String(Int(value.rounded())) }
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}
