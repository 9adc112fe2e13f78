package struct DurationHistogram: Sendable, Hashable {
    /// In seconds: from saves of single objects to batches on slow disks.
    package static let bounds: [Double] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

    /// The last count is of the durations above all bounds.
    private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    package private(set) var sum = 0.0

    package init() {}

    package mutating func add(_ duration: Duration) {
        let seconds = max(0, duration.fractionalSeconds)
        counts[DurationHistogram.bounds.firstIndex { seconds <= $0 } ?? DurationHistogram.bounds.count] += 1
        sum += seconds
    }

    package var count: UInt64 { counts.reduce(0, +) }

    package var cumulative: [(bound: Double, count: UInt64)] {
        var total: UInt64 = 0
        return zip(DurationHistogram.bounds, counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}

extension Duration {
    package var fractionalSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
