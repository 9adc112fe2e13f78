import Glibc

/// Sums of doubles without rounding, so that the order of the additions has no effect.
///
/// Every sum of doubles is a decimal number with at most 1,074 digits after the point. A sum is a double if a double
/// has exactly its value, and canonical decimal text otherwise: equal sums have equal values.
enum ExactSum {
    /// In bytes; longer than the text of any double.
    private static let maximumAmountLength = 1_600
    /// In bytes; a sum of many amounts has a few digits more than each amount.
    private static let maximumLength = 3_200

    /// NaN is zero, and an infinite number is the greatest double.
    ///
    /// The cost grows with the digits, at most some thousands; usually it is the cost of one addition.
    static func sum(_ left: PropertyValue, _ right: PropertyValue) -> PropertyValue {
        if case .double(let left) = left, case .double(let right) = right, let sum = exact(left, right) {
            return .double(sum)
        }
        return value(DecimalText.sum([parts(of: left), parts(of: right)]))
    }

    static func negated(_ number: PropertyValue) -> PropertyValue {
        if case .double(let number) = number { return .double(0 - number) }
        var parts = parts(of: number)
        parts.isNegative.toggle()
        parts.trim()
        return value(parts)
    }

    /// Halves round to the even double; a sum beyond the finite doubles becomes the greatest or least.
    static func rounded(_ sum: PropertyValue) -> Double {
        switch sum {
        case .double(let value): finite(value)
        case .integer(let value): Double(value)
        case .decimal(let text): finite(Double(text) ?? 0)
        default: 0
        }
    }

    static func amount(_ text: String) -> PropertyValue? {
        guard var parts = DecimalText.Parts(text, maximumLength: maximumAmountLength, maximumPower: 0) else {
            return nil
        }
        parts.trim()
        return value(parts)
    }

    private static func exact(_ left: Double, _ right: Double) -> Double? {
        let sum = left + right
        guard sum.isFinite else { return nil }
        // The error of the addition, computed without rounding.
        let taken = sum - left
        guard (left - (sum - taken)) + (right - taken) == 0 else { return nil }
        // Negative zero becomes zero.
        return sum + 0
    }

    private static func finite(_ value: Double) -> Double {
        if value.isNaN { return 0 }
        return min(max(value, -Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude)
    }

    /// A double, or decimal text if no double is equal to the number.
    private static func value(_ parts: DecimalText.Parts) -> PropertyValue {
        let text = parts.text
        guard let number = Double(text), number.isFinite, parts.exponent >= -places(of: number),
            self.parts(of: number) == parts
        else { return .decimal(text) }
        return .double(number + 0)
    }

    private static func parts(of number: PropertyValue) -> DecimalText.Parts {
        var parts: DecimalText.Parts?
        switch number {
        case .double(let value): return self.parts(of: value)
        case .integer(let value): parts = DecimalText.Parts(String(value))
        case .decimal(let text): parts = DecimalText.Parts(text, maximumLength: maximumLength, maximumPower: 0)
        default: break
        }
        parts?.trim()
        return parts ?? DecimalText.Parts(isNegative: false, digits: [], exponent: 0)
    }

    /// The number of decimal places that the last bit of the number needs: that bit is worth 2^-`places`.
    private static func places(of number: Double) -> Int { max(0, -Int(number.ulp.exponent)) }

    private static func parts(of number: Double) -> DecimalText.Parts {
        let value = finite(number)
        guard value != 0 else { return DecimalText.Parts(isNegative: false, digits: [], exponent: 0) }
        let places = places(of: value)
        // The locale of the process decides how the decimal point looks, so only digits are kept.
        let digits: [UInt8] = withUnsafeTemporaryAllocation(of: CChar.self, capacity: places + 320) { text in
            let count = withVaList([Int32(places), value]) { vsnprintf(text.baseAddress, text.count, "%.*f", $0) }
            return text.prefix(Int(count)).map { UInt8(bitPattern: $0) }.filter(DecimalText.isDigit)
        }
        return DecimalText.Parts(isNegative: value < 0, digits: digits, exponent: -places)
    }
}
