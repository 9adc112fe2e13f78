/// A date to the last bit, as Foundation's `Date` has it: seconds since the start of 2001.
///
/// The log and SQL count from 1970, where half of all dates of today have no double of their own. A literal is Unix
/// seconds: `PropertyValue.date(1_700_000_000.5)`.
public struct DateValue: Hashable, Sendable {
    /// Seconds since 2001-01-01 00:00:00 UTC.
    public let secondsSinceReferenceDate: Double

    /// Seconds from 1970-01-01 to 2001-01-01.
    package static let referenceDate: Int64 = 978_307_200
    private static let micro = 1e6
    /// Up to here a double of a whole number of microseconds is the nearest one to no other such number.
    private static let microLimit = 7e9

    /// The date so many seconds after the start of 2001.
    @inlinable
    public init(secondsSinceReferenceDate: Double) {
        // The sum turns the negative zero into zero.
        self.secondsSinceReferenceDate = secondsSinceReferenceDate + 0
    }

    /// The date nearest to a number of Unix seconds, taken as the decimal number that the double prints as.
    public init(unixSeconds: Double) {
        let micros = (unixSeconds * DateValue.micro).rounded()
        if unixSeconds.magnitude <= DateValue.microLimit, micros / DateValue.micro == unixSeconds {
            // Both are exact, so the quotient is rounded once.
            let shifted = micros - Double(DateValue.referenceDate) * DateValue.micro
            self.init(secondsSinceReferenceDate: shifted / DateValue.micro)
        } else {
            let exact = unixSeconds.isFinite ? DateValue(unixText: unixSeconds.description) : nil
            self = exact ?? DateValue(secondsSinceReferenceDate: unixSeconds - Double(DateValue.referenceDate))
        }
    }

    /// The date nearest to a whole number of Unix seconds.
    package init(unixSeconds: Int64) {
        let (shifted, overflows) = unixSeconds.subtractingReportingOverflow(DateValue.referenceDate)
        let far = Double(unixSeconds) - Double(DateValue.referenceDate)
        self.init(secondsSinceReferenceDate: overflows ? far : Double(shifted))
    }

    /// The date nearest to a decimal number of Unix seconds; nil when the text is none, or too long.
    package init?(unixText: String) {
        guard let shifted = DecimalShift.adding(-DateValue.referenceDate, to: unixText), let seconds = Double(shifted),
            seconds.isFinite
        else { return nil }
        self.init(secondsSinceReferenceDate: seconds)
    }

    /// The nearest double of Unix seconds; dates that are next to each other may have the same.
    public var unixSeconds: Double {
        if let micros { return micros / DateValue.micro }
        return unixText.flatMap { Double($0) } ?? secondsSinceReferenceDate + Double(DateValue.referenceDate)
    }

    /// The value as the log writes it: a double of Unix seconds where it gives back this very date, else as many digits
    /// as it takes.
    package var json: JSONValue {
        guard secondsSinceReferenceDate.isFinite else { return .null }
        if let micros { return .double(micros / DateValue.micro) }
        let seconds = unixSeconds
        guard DateValue(unixSeconds: seconds) != self, let unixText else { return .double(seconds) }
        guard unixText.hasSuffix(".0") else { return .number(unixText) }
        // Millions of years away: whole seconds, and more of them than a double counts.
        let whole = unixText.dropLast(2)
        return Int64(whole).map(JSONValue.integer) ?? .number("\(whole)e0")
    }

    /// Unix microseconds, when that is all there is to the date.
    private var micros: Double? {
        let micros = (secondsSinceReferenceDate * DateValue.micro).rounded()
        guard secondsSinceReferenceDate.magnitude <= DateValue.microLimit - Double(DateValue.referenceDate),
            micros / DateValue.micro == secondsSinceReferenceDate
        else { return nil }
        return micros + Double(DateValue.referenceDate) * DateValue.micro
    }

    /// The shortest decimal number of seconds since 2001, counted from 1970.
    private var unixText: String? {
        secondsSinceReferenceDate.isFinite
            ? DecimalShift.adding(DateValue.referenceDate, to: secondsSinceReferenceDate.description) : nil
    }
}

extension DateValue: Comparable {
    /// Whether the date is before the other.
    @inlinable
    public static func < (left: DateValue, right: DateValue) -> Bool {
        left.secondsSinceReferenceDate < right.secondsSinceReferenceDate
    }
}

extension DateValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The date of a literal, which is Unix seconds.
    public init(floatLiteral value: Double) { self.init(unixSeconds: value) }
    /// The date of a literal, which is Unix seconds.
    public init(integerLiteral value: Int64) { self.init(unixSeconds: value) }
}

extension DateValue: CustomStringConvertible {
    /// The Unix seconds, as the log writes them.
    public var description: String { json.text }
}
