package import Foundation

/// In whole milliseconds since 1970; no operation can trap, because other programs decide the number.
package struct WallTime: Hashable, Sendable {
    package let milliseconds: UInt64

    @inlinable
    package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    package static var epoch: WallTime { WallTime(milliseconds: 0) }

    package func later(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration >= .zero) }

    package func earlier(by duration: Duration) -> WallTime { moved(by: duration, isLater: duration < .zero) }

    /// Returns when the duration will have passed; `now` if this time is in the future, from a clock that was ahead.
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
    /// Times before 1970 and NaN become 1970.
    package init(unixSeconds: Double) {
        let number = (unixSeconds * 1_000).rounded()
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    /// ``init(unixSeconds:)`` reads the time back exactly, for many thousand years.
    package var unixSeconds: Double { Double(milliseconds) / 1_000 }

    /// Rounds down; dates before 1970 become 1970.
    package init(_ date: Date) {
        let number = (date.timeIntervalSince1970 * 1_000).rounded(.down)
        milliseconds = number > 0 ? UInt64(exactly: number) ?? .max : 0
    }

    package var date: Date { Date(timeIntervalSince1970: unixSeconds) }
}
