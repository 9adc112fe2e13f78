import TributaryChanges

// This folder watches the room on the disks of the store and the log folder, and warns before one is full.

/// Estimates when a file system is full, from how its use has grown over the last week.
///
/// It keeps a sample an hour, a week of them. The growth is the median of the slopes between all pairs of samples
/// (the estimator of Theil and Sen), so that a large file that comes or goes at once does not pass for a trend. It begins anew
/// with the process: until there are six hours of samples, nothing is known.
struct DiskForecast: Sendable {
    enum Outlook: Hashable, Sendable {
        case unknown
        /// The use does not grow, or so slowly that it takes more than ten years.
        case steady
        case filling(daysLeft: Double)
    }

    private struct Sample: Sendable {
        var time: Duration
        var used: Int64
    }

    private var samples: [Sample] = []
    /// Bytes a day; nil when it is not known yet.
    private var growth: Double?

    static let interval = Duration.seconds(3600)
    private static let sampleLimit = 168
    private static let leastSpan = Duration.seconds(6 * 3600)
    private static let longest = 3_650.0

    var sampleCount: Int { samples.count }

    /// Takes a sample when the last one is an hour old; O(s²) for the s samples then.
    ///
    /// The time is a monotonic one. One that has gone back is of another clock: the samples before say nothing then.
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

/// The settings `disk.…`: when the room on a disk is worth a word.
struct DiskLimits: Hashable, Sendable {
    var warnDays = 7
    /// On a disk of less than ten times this, a tenth of the disk counts.
    var warnFree: Int64 = 1 << 30
}
