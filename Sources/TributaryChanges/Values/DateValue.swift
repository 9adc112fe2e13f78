public import Foundation

/// A date with the precision of Foundation's `Date`: a double of seconds since the start of 2001.
///
/// The log and SQL count seconds from 1970, and half of all present dates are not doubles of Unix seconds. A literal is
/// Unix seconds: `PropertyValue.date(1_700_000_000.5)`.
public struct DateValue: Hashable, Sendable {
    /// Seconds since 2001-01-01 00:00:00 UTC.
    public let secondsSinceReferenceDate: Double

    package static let referenceDate: Int64 = 978_307_200
    private static let micro = 1e6
    /// Up to this magnitude each number of microseconds has its own double.
    private static let microLimit = 7e9

    /// Creates the date that is so many seconds after the start of 2001.
    @inlinable
    public init(secondsSinceReferenceDate: Double) {
        // The addition of 0 turns negative zero into zero.
        self.secondsSinceReferenceDate = secondsSinceReferenceDate + 0
    }

    /// Creates the date nearest to a number of Unix seconds, read as the shortest decimal number of the double.
    public init(unixSeconds: Double) {
        let micros = (unixSeconds * DateValue.micro).rounded()
        let exact: DateValue?
        if unixSeconds.magnitude <= DateValue.microLimit, micros / DateValue.micro == unixSeconds {
            exact = DateValue(unixCount: Int64(micros), places: 6)
        } else if let count = DateValue.tenthsOfMicros(unixSeconds) {
            exact = DateValue(unixCount: count, places: 7) ?? DateValue(unixText: unixSeconds.description)
        } else {
            exact = unixSeconds.isFinite ? DateValue(unixText: unixSeconds.description) : nil
        }
        self = exact ?? DateValue(secondsSinceReferenceDate: unixSeconds - Double(DateValue.referenceDate))
    }

    /// The date nearest to `count` · 10^-`places` Unix seconds; nil where one division does not give it exactly.
    package init?(unixCount count: Int64, places: Int) {
        guard DateValue.powers.indices.contains(places) else { return nil }
        let power = DateValue.powers[places]
        let (shifted, overflows) = count.subtractingReportingOverflow(DateValue.referenceDate * power)
        guard !overflows, shifted.magnitude <= 1 << 53 else { return nil }
        // Both numbers are exact, so the quotient is rounded once.
        self.init(secondsSinceReferenceDate: Double(shifted) / Double(power))
    }

    private static let powers: [Int64] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]

    /// The units of 10⁻⁷ s of the shortest decimal number of `seconds`; nil where more digits may be needed.
    ///
    /// Present doubles of Unix seconds are 2.4 units apart, so the nearest count denotes the double.
    private static func tenthsOfMicros(_ seconds: Double) -> Int64? {
        guard seconds.magnitude <= microLimit else { return nil }
        // The exact product is `product + rest`.
        let product = seconds * 1e7
        let rest = (-product).addingProduct(seconds, 1e7)
        let whole = product.rounded()
        let fraction = product - whole + rest
        // Below a power of two the doubles are half as far apart. Where two counts are about equally near, the decimal
        // digits must decide.
        guard abs(fraction - fraction.rounded()) < min(seconds.ulp * 1e7 / 4, 0.4999) else { return nil }
        return Int64(whole) + Int64(fraction.rounded())
    }

    package init(_ time: WallTime) { self.init(unixSeconds: time.unixSeconds) }

    package init(unixSeconds: Int64) {
        let (shifted, overflows) = unixSeconds.subtractingReportingOverflow(DateValue.referenceDate)
        let far = Double(unixSeconds) - Double(DateValue.referenceDate)
        self.init(secondsSinceReferenceDate: overflows ? far : Double(shifted))
    }

    /// Nil when the text is not a decimal number, or too long.
    package init?(unixText: String) {
        guard let shifted = DateValue.adding(-DateValue.referenceDate, to: unixText), let seconds = Double(shifted),
            seconds.isFinite
        else { return nil }
        self.init(secondsSinceReferenceDate: seconds)
    }

    /// The nearest double of Unix seconds; neighbouring dates may have equal doubles.
    public var unixSeconds: Double {
        if let micros { return micros / DateValue.micro }
        return unixText.flatMap { Double($0) } ?? secondsSinceReferenceDate + Double(DateValue.referenceDate)
    }

    /// A double of Unix seconds if it denotes exactly this date, else a number with as many digits as needed.
    package var json: JSONValue {
        guard secondsSinceReferenceDate.isFinite else { return .null }
        if let micros { return .double(micros / DateValue.micro) }
        let seconds = unixSeconds
        guard DateValue(unixSeconds: seconds) != self, let unixText else { return .double(seconds) }
        guard unixText.hasSuffix(".0") else { return .number(unixText) }
        // A date with a larger magnitude than the exact integers of a double is a whole second.
        let whole = unixText.dropLast(2)
        return Int64(whole).map(JSONValue.integer) ?? .number("\(whole)e0")
    }

    /// Nil when the date is not a whole number of microseconds.
    private var micros: Double? {
        let micros = (secondsSinceReferenceDate * DateValue.micro).rounded()
        guard secondsSinceReferenceDate.magnitude <= DateValue.microLimit - Double(DateValue.referenceDate),
            micros / DateValue.micro == secondsSinceReferenceDate
        else { return nil }
        return micros + Double(DateValue.referenceDate) * DateValue.micro
    }

    private var unixText: String? {
        secondsSinceReferenceDate.isFinite
            ? DateValue.adding(DateValue.referenceDate, to: secondsSinceReferenceDate.description) : nil
    }

    private static let maximumDigits = 1_200

    private static func adding(_ offset: Int64, to number: String) -> String? {
        guard
            // With a sign, a decimal point and an exponent.
            let number = DecimalText.Parts(number, maximumLength: maximumDigits + 7, maximumPower: 400),
            number.digits.count <= maximumDigits
        else { return nil }
        let digits = Array(String(offset.magnitude).utf8)
        let sum = DecimalText.sum([number, DecimalText.Parts(isNegative: offset < 0, digits: digits, exponent: 0)])
        return sum.exponent < 0 ? sum.text : sum.text + ".0"
    }
}

extension DateValue: Comparable {
    /// Whether the date is earlier than the other.
    @inlinable
    public static func < (left: DateValue, right: DateValue) -> Bool {
        left.secondsSinceReferenceDate < right.secondsSinceReferenceDate
    }
}

extension DateValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// Creates a date of Unix seconds.
    public init(floatLiteral value: Double) { self.init(unixSeconds: value) }
    /// Creates a date of Unix seconds.
    public init(integerLiteral value: Int64) { self.init(unixSeconds: value) }
}

extension DateValue: CustomStringConvertible {
    /// The Unix seconds in the form of the log.
    public var description: String { json.text }
}

extension DateValue {
    /// Converts a Foundation date without loss.
    @inlinable
    public init(_ date: Date) { self.init(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate) }

    /// The date as Foundation's type.
    @inlinable public var date: Date { Date(timeIntervalSinceReferenceDate: secondsSinceReferenceDate) }
}
