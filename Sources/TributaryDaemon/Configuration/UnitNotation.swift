/// Writes numbers as an integer with a unit, such as `5s` or `1MiB`, and parses them.
struct UnitNotation: Sendable {
    private let units: [(suffix: String, factor: Int64)]
    private let limit: Int64

    /// Milliseconds, up to a hundred years, which timers and sums of times and durations can hold.
    static let milliseconds = UnitNotation(
        units: [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)],
        limit: 36_525 * 86_400_000
    )

    static let bytes = UnitNotation(
        units: [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)],
        limit: .max
    )

    func number(_ text: String) -> Int64? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int64(digits)
            else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
            return overflow || product > limit || product == 0 ? nil : product
        }
        return nil
    }

    /// Writes a number with the greatest unit of which it is a multiple.
    func text(_ number: Int64) -> String {
        let unit = units.last { number % $0.factor == 0 } ?? units[0]
        return "\(number / unit.factor)\(unit.suffix)"
    }
}
