/// 48 bits of Unix milliseconds and a counter of 16 bits; a full counter carries into the milliseconds.
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

    package init(_ time: WallTime) { self.init(milliseconds: time.milliseconds) }

    package static func last(of time: WallTime) -> HybridClock {
        HybridClock(milliseconds: time.milliseconds, counter: .max)
    }

    package static let zero = HybridClock(rawValue: 0)

    /// The least refused value, a year before 2⁶⁴: too few values would remain after it.
    package static let firstRefused = HybridClock(milliseconds: (1 << 48) - 366 * 86_400_000)

    package var wallTime: WallTime { WallTime(milliseconds: rawValue >> 16) }
    package var isAcceptable: Bool { self < .firstRefused }

    package func isAhead(of wall: WallTime, by limit: Duration) -> Bool { wallTime > wall.later(by: limit) }

    /// Whether a chain of at most so many transactions leads from a taken clock to this clock; each adds at most one.
    package func follows(_ taken: HybridClock, within transactions: Int) -> Bool {
        rawValue <= taken.rawValue.addingSaturating(UInt64(clamping: transactions))
    }

    /// The greatest value has no successor and is returned itself.
    package func next(at time: WallTime) -> HybridClock {
        let wall = HybridClock(time)
        return wall > self ? wall : HybridClock(rawValue: rawValue.addingSaturating(1))
    }

    @inlinable
    package static func < (left: HybridClock, right: HybridClock) -> Bool { left.rawValue < right.rawValue }
}

extension HybridClock: CustomStringConvertible {
    package var description: String { hexadecimal16(rawValue) }

    package init?(_ text: some StringProtocol) {
        guard let value = parseHexadecimal16(text) else { return nil }
        self.init(rawValue: value)
    }
}
