import TestSupport

/// Something whose cost is measured at three sizes.
struct GrowthRow: Sendable {
    /// The power of n that the cost may grow with.
    enum Order: Double, Sendable {
        /// The cost does not depend on n.
        case constant = 0
        /// The cost grows as log n does, which a small slope shows.
        case logarithmic = 0.01
        /// The cost grows as n does, or as n log n.
        case linear = 1
        /// Each of n steps looks at all that were before it.
        case quadratic = 2

        /// The steepest slope that still counts as this order: measured slopes are noisy, and log n adds to them.
        var steepestSlope: Double { rawValue + 0.45 }

        /// The unit that the table prints.
        var text: String {
            switch self {
            case .constant: "1"
            case .logarithmic: "log n"
            case .linear: "n"
            case .quadratic: "n²"
            }
        }
    }

    enum Unit: String, Sendable {
        case processorTime = "ms"
        case steps
        case memory = "KiB"
    }

    let title: String
    let order: Order
    let smallest: Int
    var unit = Unit.processorTime
    /// How often each size is measured: time is the least of several runs, steps are the same each time.
    var runs = 3
    /// Prepares whatever costs nothing to the measured work, measures the work for a size, returns its cost.
    let cost: @Sendable (Int) async throws -> Double

    /// A row that measures what `work` does between preparing and cleaning up.
    static func processorMilliseconds(_ work: () async throws -> Void) async throws -> Double {
        try await Effort.measure(work).processor * 1_000
    }

    /// Runs the row at n, 2n and 4n, in turns, so that a busy moment of the machine does not meet one size alone.
    func measured() async throws -> GrowthLine {
        let sizes = [smallest, smallest * 2, smallest * 4]
        var least = [Double](repeating: .infinity, count: sizes.count)
        for _ in 0..<runs {
            for (index, size) in sizes.enumerated() { least[index] = min(least[index], try await cost(size)) }
        }
        return GrowthLine(row: self, costs: least)
    }
}
