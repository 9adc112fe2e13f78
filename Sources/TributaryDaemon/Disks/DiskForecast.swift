import TributaryChanges

// This folder watches the room on the disks of the store and the log folder, and warns before a disk is full.

/// Estimates when a file system is full, from a sample an hour of the last week.
///
/// The growth is the median of the slopes between all pairs of samples (Theil and Sen): a single large file is not a trend.
struct DiskForecast: Sendable {
    enum Outlook: Hashable, Sendable {
        case unknown
        /// The use does not grow, or takes more than ten years to fill the disk.
        case steady
        case filling(daysLeft: Double)
    }

    private struct Sample: Sendable {
        var time: Duration
        var used: Int64
    }

    private var samples: [Sample] = []
    private var growth: Double?

    static let interval = Duration.seconds(3600)
    private static let sampleLimit = 168
    private static let leastSpan = Duration.seconds(6 * 3600)
    private static let longest = 3_650.0

    var sampleCount: Int { samples.count }

    /// O(s²) for s samples, once an hour; a time that has gone back comes from another clock, which drops the samples.
    mutating func add(used: Int64, at time: Duration) {
        if let last = samples.last {
            if time < last.time {
                samples = []
            } else if time - last.time < DiskForecast.interval {
                return
            }
        }
        if samples.count == DiskForecast.sampleLimit { samples.removeFirst() }
        samples.append(Sample(time: time, used: used))
        growth = medianGrowth
    }

    func outlook(free: Int64) -> Outlook {
        guard let growth else { return .unknown }
        guard growth > 0 else { return .steady }
        let days = Double(max(0, free)) / growth
        return days > DiskForecast.longest ? .steady : .filling(daysLeft: days)
    }

    private var medianGrowth: Double? {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= DiskForecast.leastSpan
        else { return nil }
        var slopes: [Double] = []
        slopes.reserveCapacity(samples.count * (samples.count - 1) / 2)
        for (index, late) in samples.enumerated() {
            for early in samples[..<index] {
                let days = Double((late.time - early.time).components.seconds) / 86_400
                slopes.append((Double(late.used) - Double(early.used)) / days)
            }
        }
        slopes.sort()
        return slopes[slopes.count / 2]
    }
}

struct DiskLimits: Hashable, Sendable {
    var warnDays = 7
    /// A disk that is smaller than ten times this value is reported at a tenth of its size.
    var warnFree: Int64 = 1 << 30
}
