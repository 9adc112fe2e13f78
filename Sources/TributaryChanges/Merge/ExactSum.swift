/// Sums of doubles without rounding, which are therefore equal whatever the order of the additions.
///
/// Every finite double is a decimal number of at most 309 digits before the point and 1,074 after it, and so is a sum of
/// doubles. A sum is kept as a double where one has exactly its value, and as canonical decimal text otherwise: equal
/// sums have equal values.
enum ExactSum {
    /// In bytes; longer than the text of any double.
    private static let maximumAmountLength = 1_600
    /// In bytes; a sum of many amounts has a few digits more than each amount.
    private static let maximumLength = 3_200

    /// A value that is not a number counts as zero, and an infinite number as the greatest double.
    ///
    /// The cost grows with the digits, at most some thousands; usually it is that of one addition.
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
        return value(DecimalText.sum([parts]))
    }

    /// The nearest double, the even one of two; the greatest or least finite double when the sum is beyond it.
    static func rounded(_ sum: PropertyValue) -> Double {
        switch sum {
        case .double(let value): finite(value)
        case .integer(let value): Double(value)
        case .decimal(let text): finite(Double(text) ?? 0)
        default: 0
        }
    }

    /// Nil when the text is not a decimal number, or is longer than the sum of many doubles.
    static func amount(_ text: String) -> PropertyValue? {
        guard var parts = DecimalText.Parts(text, maximumLength: maximumAmountLength, maximumPower: 0) else {
            return nil
        }
        parts.trim()
        return value(parts)
    }

    /// Nil when the sum would be rounded.
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

    /// The only value for a number: a double, or decimal text where no double is equal to the number.
    private static func value(_ parts: DecimalText.Parts) -> PropertyValue {
        let text = parts.text
        if let number = Double(text), number.isFinite {
            let exact = self.parts(of: number)
            if exact.digits == parts.digits, exact.exponent == parts.exponent { return .double(number + 0) }
        }
        return .decimal(text)
    }

    private static func parts(of number: PropertyValue) -> DecimalText.Parts {
        switch number {
        case .double(let value): return parts(of: value)
        case .integer(let value):
            var parts = DecimalText.Parts(
                isNegative: value < 0,
                digits: Array(String(value.magnitude).utf8),
                exponent: 0
            )
            parts.trim()
            return parts
        case .decimal(let text):
            guard var parts = DecimalText.Parts(text, maximumLength: maximumLength, maximumPower: 0) else { break }
            parts.trim()
            return parts
        default: break
        }
        return DecimalText.Parts(isNegative: false, digits: [], exponent: 0)
    }

    private static func parts(of number: Double) -> DecimalText.Parts {
        let value = finite(number)
        guard value != 0 else { return DecimalText.Parts(isNegative: false, digits: [], exponent: 0) }
        var significand = value.significandBitPattern
        if value.isNormal { significand |= 1 << 52 }
        var exponent = (value.isNormal ? Int(value.exponent) : -1_022) - 52
        exponent += significand.trailingZeroBitCount
        significand >>= UInt64(significand.trailingZeroBitCount)
        var digits = BillionDigits(significand)
        // A negative power of two is a power of five times a negative power of ten.
        digits.multiply(by: exponent < 0 ? 5 : 2, times: abs(exponent))
        var parts = DecimalText.Parts(
            isNegative: value < 0,
            digits: digits.ascii,
            exponent: min(exponent, 0)
        )
        parts.trim()
        return parts
    }

    /// A natural number in base 10⁹, the last digit first.
    private struct BillionDigits {
        private static let base: UInt64 = 1_000_000_000
        private var limbs: [UInt64]

        init(_ value: UInt64) {
            limbs = []
            var rest = value
            while rest > 0 {
                limbs.append(rest % BillionDigits.base)
                rest /= BillionDigits.base
            }
        }

        /// `factor` is at most 5.
        mutating func multiply(by factor: UInt64, times count: Int) {
            var rest = count
            while rest > 0 {
                let step = min(rest, 12)
                var product: UInt64 = 1
                for _ in 0..<step { product *= factor }
                multiply(by: product)
                rest -= step
            }
        }

        private mutating func multiply(by factor: UInt64) {
            var carry: UInt64 = 0
            for index in limbs.indices {
                let product = limbs[index] * factor + carry
                limbs[index] = product % BillionDigits.base
                carry = product / BillionDigits.base
            }
            if carry > 0 { limbs.append(carry) }
        }

        var ascii: [UInt8] {
            var result: [UInt8] = []
            for limb in limbs.reversed() {
                var divisor = BillionDigits.base / 10
                while divisor > 0 {
                    result.append(UInt8(ascii: "0") + UInt8(limb / divisor % 10))
                    divisor /= 10
                }
            }
            return result
        }
    }
}
