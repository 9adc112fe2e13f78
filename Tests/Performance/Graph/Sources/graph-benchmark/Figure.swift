/// One line of the benchmark's table: a measurement with its target.
struct Figure {
    enum Reach {
        case atMost(Double)
        case atLeast(Double)
        /// Nothing is demanded.
        case none
    }

    let title: String
    let unit: String
    let reach: Reach
    private var values: [Double] = []
    /// A further measurement, which is only printed.
    var remark = ""

    init(_ title: String, unit: String, _ reach: Reach) {
        self.title = title
        self.unit = unit
        self.reach = reach
    }

    mutating func add(_ value: Double) { values.append(value) }

    /// The least value of several runs: other work of the machine only adds time.
    var best: Double {
        switch reach {
        case .atMost, .none: values.min() ?? 0
        case .atLeast: values.max() ?? 0
        }
    }

    static let heading = columns("", "measured", "reach", "measured/reach", "", "range of the runs")

    var line: String {
        let range = "\(Figure.rounded(values.min() ?? 0)) to \(Figure.rounded(values.max() ?? 0))"
        let (demand, ratio, verdict) =
            switch reach {
            case .atMost(let bound):
                ("≤ \(Figure.rounded(bound))", Figure.rounded(best / bound), best <= bound ? "reached" : "missed")
            case .atLeast(let bound):
                ("≥ \(Figure.rounded(bound))", Figure.rounded(best / bound), best >= bound ? "reached" : "missed")
            case .none: ("", "", "")
            }
        let remark = remark.isEmpty ? "" : "; \(remark)"
        return Figure.columns(title, "\(Figure.rounded(best)) \(unit)", demand, ratio, verdict, range + remark)
    }

    private static func columns(
        _ title: String,
        _ measured: String,
        _ reach: String,
        _ ratio: String,
        _ verdict: String,
        _ rest: String
    ) -> String {
        [
            padded(title, 52, atEnd: true), padded(measured, 12), padded(reach, 9), padded(ratio, 16), "  ",
            padded(verdict, 8, atEnd: true), rest,
        ].joined()
    }

    private static func padded(_ text: String, _ width: Int, atEnd: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return atEnd ? text + spaces : spaces + text
    }

    static func rounded(_ value: Double) -> String {
        if value >= 100 { return String(Int(value.rounded())) }
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}
