/// A value of the 64-bit hybrid logical clock: 48 bits of Unix milliseconds and a counter of 16 bits.
///
/// A value is greater than all values that its replica knew before, and close to wall-clock time as long as the clocks
/// of all replicas are right. A full counter carries into the milliseconds.
package struct HybridClock: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Milliseconds beyond 48 bits become the greatest number of 48 bits.
    package init(milliseconds: UInt64, counter: UInt16 = 0) {
        rawValue = min(milliseconds, 1 << 48 - 1) << 16 | UInt64(counter)
    }

    /// Times beyond 48 bits become the greatest number of 48 bits.
    package init(_ time: WallTime) { self.init(milliseconds: time.milliseconds) }

    package static func last(of time: WallTime) -> HybridClock {
        HybridClock(milliseconds: time.milliseconds, counter: .max)
    }

    package static let zero = HybridClock(rawValue: 0)

    /// The least clock value that is refused, a year before 2⁶⁴: too few values would remain after it.
    package static let firstRefused = HybridClock(milliseconds: (1 << 48) - 366 * 86_400_000)

    package var wallTime: WallTime { WallTime(milliseconds: rawValue >> 16) }
    package var isAcceptable: Bool { self < .firstRefused }

    package func isAhead(of wall: WallTime, by limit: Duration) -> Bool { wallTime > wall.later(by: limit) }

    /// Whether at most so many transactions lead from a taken clock to this clock.
    ///
    /// A transaction that overwrites a taken value has the clock after this value's, and each later one at most the
    /// clock after that. So each transaction of a chain adds one to the clock: 65,536 transactions add a millisecond.
    package func follows(_ taken: HybridClock, within transactions: Int) -> Bool {
        rawValue <= taken.rawValue.addingSaturating(UInt64(clamping: transactions))
    }

    /// Returns the clock value of the next event; `self` is the greatest value known so far.
    ///
    /// The greatest value of 64 bits has no successor, so it is returned itself.
    package func next(at time: WallTime) -> HybridClock {
        let wall = HybridClock(time)
        return wall > self ? wall : HybridClock(rawValue: rawValue.addingSaturating(1))
    }

    @inlinable
    package static func < (left: HybridClock, right: HybridClock) -> Bool { left.rawValue < right.rawValue }
}

extension HybridClock: CustomStringConvertible {
    /// Sixteen lower-case hexadecimal digits, as in the log.
    package var description: String { hexadecimal16(rawValue) }

    package init?(_ text: some StringProtocol) {
        guard let value = parseHexadecimal16(text) else { return nil }
        self.init(rawValue: value)
    }
}
