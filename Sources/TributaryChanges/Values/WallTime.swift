package import Foundation

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

    package static var epoch: WallTime { WallTime(milliseconds: 0) }

    /// Moves by whole milliseconds, to an earlier time for a negative duration.
    package func later(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration >= .zero) }

    /// Moves by whole milliseconds, to a later time for a negative duration.
    package func earlier(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration < .zero) }

    /// Returns when the duration will have passed since this time.
    ///
    /// A time that is still to come was noted under a clock that was ahead: no time needs to pass then.
    package func due(after duration: Duration, at now: WallTime) -> WallTime {
        self > now ? now : later(by: duration)
    }

    package func isDue(after duration: Duration, at now: WallTime) -> Bool { due(after: duration, at: now) <= now }

    private func moved(by duration: Duration, isLater: Bool) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let distance = seconds.magnitude.multipliedSaturating(by: 1_000)
            .addingSaturating(attoseconds.magnitude / 1_000_000_000_000_000)
        return WallTime(
            milliseconds: isLater
                ? milliseconds.addingSaturating(distance) : milliseconds.subtractingSaturating(distance)
        )
    }

    /// Zero when the other time is later.
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
    /// The nearest time; times before 1970 and NaN become 1970.
    package init(unixSeconds: Double) {
        let number = (unixSeconds * 1_000).rounded()
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    /// ``init(unixSeconds:)`` reads the time back exactly, for many thousand years.
    package var unixSeconds: Double { Double(milliseconds) / 1_000 }

    /// The last whole millisecond that is not after the date; dates before 1970 become 1970.
    package init(_ date: Date) {
        let number = (date.timeIntervalSince1970 * 1_000).rounded(.down)
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    package var date: Date { Date(timeIntervalSince1970: unixSeconds) }
}
