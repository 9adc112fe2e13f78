/// A reading of the 64-bit hybrid logical clock: 48 bits of Unix milliseconds, 16 bits of counter.
///
/// A reading is larger than every reading it was drawn after, and close to wall time as long as the clocks that take
/// part are. A full counter carries into the milliseconds.
package struct HybridClock: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Milliseconds that 48 bits cannot hold count as the greatest that they can.
    package init(milliseconds: UInt64, counter: UInt16 = 0) {
        rawValue = min(milliseconds, 1 << 48 - 1) << 16 | UInt64(counter)
    }

    package static let zero = HybridClock(rawValue: 0)

    /// Readings from here on, the last year before 2⁶⁴, are refused: nothing could be drawn after them for long.
    package static let firstRefused = HybridClock(milliseconds: (1 << 48) - 366 * 86_400_000)

    package var milliseconds: UInt64 { rawValue >> 16 }
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
    package var isAcceptable: Bool { self < .firstRefused }

    /// The next reading after `self`, which is the greatest one known so far, at the given wall time.
    ///
    /// Past the greatest reading there is none: it stays.
    package func next(wallMilliseconds: UInt64) -> HybridClock {
        let wall = HybridClock(milliseconds: wallMilliseconds)
        return wall > self ? wall : HybridClock(rawValue: rawValue.addingSaturating(1))
    }

    @inlinable
    package static func < (left: HybridClock, right: HybridClock) -> Bool { left.rawValue < right.rawValue }
}

extension HybridClock: CustomStringConvertible {
    /// Sixteen lower-case hexadecimal digits, the form of the log.
    package var description: String { hexadecimal16(rawValue) }

    package init?(_ text: some StringProtocol) {
        guard let value = parseHexadecimal16(text) else { return nil }
        self.init(rawValue: value)
    }
}
