/// Times of the importer and of the plain loop, taken in turns, so that both see the same machine.
struct Comparison {
    let title: String
    let changes: Int
    private var imports: [Double] = []
    private var plains: [Double] = []

    init(title: String, changes: Int) {
        self.title = title
        self.changes = changes
    }

    mutating func add(importing: Duration, plain: Duration) {
        imports.append(importing / .seconds(1))
        plains.append(plain / .seconds(1))
    }

    /// How fast the importer is, the plain loop being 1.
    var ratio: Double { Self.median(zip(plains, imports).map { $0 / $1 }) }

    var line: String {
        func rate(_ times: [Double]) -> String { "\(Int(Double(changes) / Self.median(times) / 1_000)) k/s" }
        let range = zip(plains, imports).map { $0 / $1 }
        return "\(title): import \(rate(imports)), plain loop \(rate(plains)), ratio \(Self.rounded(ratio))"
            + " (\(Self.rounded(range.min() ?? 0)) to \(Self.rounded(range.max() ?? 0)))"
    }

    static func rounded(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : (sorted[middle - 1] + (sorted.count > 1 ? sorted[middle] : last)) / 2
    }
}
