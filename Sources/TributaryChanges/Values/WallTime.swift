/// A wall-clock time in whole milliseconds since 1970.
///
/// Clocks, files and other programs decide the number, so every 64-bit number is a time, and no operation can trap:
/// results that no number can express are the earliest or the latest time. Formats with milliseconds use
/// ``milliseconds``; JSON texts and the tables of the store use ``unixSeconds``.
package struct WallTime: Hashable, Sendable {
    package let milliseconds: UInt64

    @inlinable
    package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    /// The start of 1970, the earliest time.
    package static var epoch: WallTime { WallTime(milliseconds: 0) }

    /// The time that is later by the whole milliseconds of a duration, or earlier by those of a negative one.
    package func later(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration >= .zero) }

    /// The time that is earlier by the whole milliseconds of a duration, or later by those of a negative one.
    package func earlier(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration < .zero) }

    private func moved(by duration: Duration, isLater: Bool) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let distance = seconds.magnitude.multipliedSaturating(by: 1_000)
            .addingSaturating(attoseconds.magnitude / 1_000_000_000_000_000)
        return WallTime(
            milliseconds: isLater
                ? milliseconds.addingSaturating(distance) : milliseconds.subtractingSaturating(distance)
        )
    }

    /// The time that has passed since another time; zero when the other time is later.
    package func duration(since earlier: WallTime) -> Duration {
        .milliseconds(milliseconds.subtractingSaturating(earlier.milliseconds))
    }
}

extension WallTime: Comparable {
    @inlinable
    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

extension WallTime: CustomStringConvertible {
    package var description: String { String(milliseconds) }
}

extension WallTime {
    /// Creates the time that is nearest to the given Unix seconds; times before 1970 and NaN become 1970.
    package init(unixSeconds: Double) {
        let number = (unixSeconds * 1_000).rounded()
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    /// The Unix seconds; ``init(unixSeconds:)`` reads the time back exactly, for many thousand years.
    package var unixSeconds: Double { Double(milliseconds) / 1_000 }
}
