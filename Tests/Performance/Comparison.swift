import TestSupport

/// Efforts of the importer and of the plain loop, taken in turns, so that both see the same machine.
struct Comparison {
    let title: String
    let changes: Int
    private var imports: [Effort] = []
    private var plains: [Effort] = []

    init(title: String, changes: Int) {
        self.title = title
        self.changes = changes
    }

    mutating func add(importing: Effort, plain: Effort) {
        imports.append(importing)
        plains.append(plain)
    }

    /// The importer's time in each pair, with the plain loop as 1.
    private func ratios(_ time: (Effort) -> Double) -> [Double] {
        zip(plains, imports).map { time($0) / time($1) }
    }

    /// Rates and the median ratio by the clock, then the same ratio by the time of all processors.
    var line: String {
        func rate(_ times: [Effort]) -> String {
            "\(Int(Double(changes) / Self.median(times.map(\.wall)) / 1_000)) k/s"
        }
        func ratio(_ time: (Effort) -> Double) -> String {
            let range = ratios(time)
            return "\(Self.rounded(Self.median(range)))"
                + " (\(Self.rounded(range.min() ?? 0)) to \(Self.rounded(range.max() ?? 0)))"
        }
        return "\(title): import \(rate(imports)), plain loop \(rate(plains)), ratio \(ratio(\.wall)),"
            + " by processor time \(ratio(\.processor))"
    }

    static func rounded(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : (sorted[middle - 1] + (sorted.count > 1 ? sorted[middle] : last)) / 2
    }
}
