import TributaryChanges

extension JSONScanner {
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private static let fifteenDigits: UInt64 = 1_000_000_000_000_000

    private struct Number {
        var start: Int
        var isNegative = false
        var isInteger = true
        var digits: UInt64 = 0
        var overflows = false
        var exponent = 0

        /// The number as `count` divided by ten to the power of `places`; nil when the digits exceed 64 bits.
        var decimal: (count: Int64, places: Int)? {
            guard !overflows, digits <= UInt64(Int64.max) else { return nil }
            return (isNegative ? -Int64(digits) : Int64(digits), -exponent)
        }

        @inline(__always)
        mutating func append(_ digit: UInt8) {
            let (product, first) = digits.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(digit &- UInt8(ascii: "0")))
            digits = sum
            overflows = overflows || first || second
        }
    }

    mutating func skipNumber() throws(JSONError) {
        _ = try number()
    }

    /// A number outside the range of 64-bit integers and doubles is kept as its text.
    mutating func numberValue() throws(JSONError) -> JSONValue {
        let number = try number()
        if number.isInteger {
            if !number.overflows, number.digits <= UInt64(Int64.max) {
                let magnitude = Int64(number.digits)
                return .integer(number.isNegative ? -magnitude : magnitude)
            }
            if !number.overflows, number.isNegative, number.digits == UInt64(Int64.max) + 1 {
                return .integer(.min)
            }
            return .unrepresentable(text(from: number.start))
        }
        // Both factors are exact, so the product is correctly rounded.
        if !number.overflows, number.digits <= 1 << 53, abs(number.exponent) <= 22 {
            let power = JSONScanner.exactPowers[abs(number.exponent)]
            let magnitude = number.exponent < 0 ? Double(number.digits) / power : Double(number.digits) * power
            let value = number.isNegative ? -magnitude : magnitude
            // A double represents every number of up to fifteen digits.
            guard number.digits >= JSONScanner.fifteenDigits else { return .double(value) }
            return .fraction(value, digits: number.decimal, text: text(from: number.start))
        }
        let text = text(from: number.start)
        guard let value = Double(text), value.isFinite else { return .unrepresentable(text) }
        return .fraction(value, digits: number.decimal, text: text)
    }

    private func text(from start: Int) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }

    @inline(__always)
    private func digit() -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? byte : nil
    }

    private mutating func number() throws(JSONError) -> Number {
        var number = Number(start: position)
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") {
            number.isNegative = true
            position += 1
        }
        guard let first = digit() else { throw unexpected("a digit") }
        number.append(first)
        position += 1
        if first == UInt8(ascii: "0") {
            guard digit() == nil else { throw failure("a number starts with a zero that has no meaning") }
        } else {
            while let next = digit() {
                number.append(next)
                position += 1
            }
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            number.isInteger = false
            guard digit() != nil else { throw unexpected("a digit") }
            while let next = digit() {
                number.append(next)
                number.exponent -= 1
                position += 1
            }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            try exponent(of: &number)
        }
        return number
    }

    private mutating func exponent(of number: inout Number) throws(JSONError) {
        position += 1
        number.isInteger = false
        var isNegative = false
        if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
            isNegative = bytes[position] == UInt8(ascii: "-")
            position += 1
        }
        guard digit() != nil else { throw unexpected("a digit") }
        var exponent = 0
        while let next = digit() {
            // A larger exponent gives the same result, and the limit prevents an overflow.
            if exponent < 1_000_000 { exponent = exponent * 10 + Int(next &- UInt8(ascii: "0")) }
            position += 1
        }
        number.exponent += isNegative ? -exponent : exponent
    }
}
