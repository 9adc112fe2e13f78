package import Logging

/// A valid value of the configuration.
package enum ConfigurationValue: Hashable, Sendable {
    case none
    case text(String)
    case duration(Duration)
    case automatic
    case size(Int)
    case boolean(Bool)
    case count(Int)
    case level(Logger.Level)
    case groups([String])

    /// The value in the syntax of the file; nil when there is none.
    package var text: String? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .duration(let duration): ConfigurationValue.text(of: duration)
        case .automatic: "auto"
        case .size(let bytes): ConfigurationValue.text(ofSize: bytes)
        case .boolean(let value): value ? "true" : "false"
        case .count(let value): String(value)
        case .level(let level): level.rawValue
        case .groups(let names): "[" + names.joined(separator: ", ") + "]"
        }
    }

    private static let durationUnits: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    private static let sizeUnits: [(suffix: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// A hundred years, which timers and sums of times and durations can hold.
    private static let longestDuration: Int64 = 36_525 * 86_400_000

    /// Parses an integer with ms, s, m, h or d, up to a hundred years.
    static func duration(_ text: String) -> Duration? {
        for unit in durationUnits where text.hasSuffix(unit.suffix) {
            guard let number = digits(text.dropLast(unit.suffix.count)) else { continue }
            let (product, overflow) = Int64(number).multipliedReportingOverflow(by: unit.milliseconds)
            return overflow || product > longestDuration ? nil : .milliseconds(product)
        }
        return nil
    }

    /// Parses an integer with B, KiB, MiB or GiB.
    static func size(_ text: String) -> Int? {
        for unit in sizeUnits where text.hasSuffix(unit.suffix) {
            guard let number = digits(text.dropLast(unit.suffix.count)) else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
            return overflow ? nil : product
        }
        return nil
    }

    private static func digits(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func text(of duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        let unit = durationUnits.last { milliseconds % $0.milliseconds == 0 && milliseconds >= $0.milliseconds }
        guard let unit else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }

    private static func text(ofSize bytes: Int) -> String {
        for unit in sizeUnits where bytes >= unit.bytes && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.suffix)"
        }
        return "\(bytes)B"
    }
}
