/// Adds integers to decimal texts, exactly.
enum DecimalShift {
    /// The greatest number of digits, which is more than any double has.
    private static let digitLimit = 1_200
    private static let exponentLimit = 400

    /// A number as its digits without a sign, and the count of digits before the decimal point.
    private struct Parts {
        var isNegative = false
        var digits: [UInt8] = []
        var wholeCount = 0

        /// Parses a number such as `-12.5e-3`; nil when the text is no number, or has too many digits.
        init?(_ text: String) {
            var bytes = Array(text.utf8)[...]
            if bytes.first == UInt8(ascii: "-") {
                isNegative = true
                bytes.removeFirst()
            }
            let whole = bytes.prefix { Parts.isDigit($0) }
            bytes = bytes.dropFirst(whole.count)
            var fraction = bytes.prefix(0)
            if bytes.first == UInt8(ascii: ".") {
                fraction = bytes.dropFirst().prefix { Parts.isDigit($0) }
                bytes = bytes.dropFirst(1 + fraction.count)
            }
            var exponent = 0
            if let mark = bytes.first, mark | 0x20 == UInt8(ascii: "e") {
                guard let value = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)),
                    (-exponentLimit...exponentLimit).contains(value)
                else { return nil }
                exponent = value
                bytes = []
            }
            guard bytes.isEmpty, !whole.isEmpty, whole.count + fraction.count <= digitLimit else { return nil }
            digits = (whole + fraction).map { $0 &- UInt8(ascii: "0") }
            wholeCount = whole.count + exponent
            if wholeCount <= 0 {
                digits.insert(contentsOf: repeatElement(0, count: 1 - wholeCount), at: 0)
                wholeCount = 1
            }
            if wholeCount > digits.count { digits += repeatElement(0, count: wholeCount - digits.count) }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    }

    /// Returns the text of `number + offset` with a decimal point; nil when `number` is no decimal number, or has too
    /// many digits.
    static func adding(_ offset: Int64, to number: String) -> String? {
        guard var parts = Parts(number) else { return nil }
        let other = String(offset.magnitude).utf8.map { $0 &- UInt8(ascii: "0") }
        let missing = other.count - parts.wholeCount
        if missing > 0 {
            parts.digits.insert(contentsOf: repeatElement(0, count: missing), at: 0)
            parts.wholeCount += missing
        }
        // The digits of the offset, aligned with those of the number.
        var addend = [UInt8](repeating: 0, count: parts.digits.count)
        for (index, digit) in other.enumerated() { addend[parts.wholeCount - other.count + index] = digit }
        var isNegative = parts.isNegative
        if isNegative == (offset < 0) {
            parts.wholeCount += add(addend, to: &parts.digits)
        } else if parts.digits.lexicographicallyPrecedes(addend) {
            isNegative.toggle()
            subtract(parts.digits, from: &addend)
            parts.digits = addend
        } else {
            subtract(addend, from: &parts.digits)
        }
        return text(parts.digits, wholeCount: parts.wholeCount, isNegative: isNegative)
    }

    /// Adds digits of equal count; returns 1 when the sum has one more digit before the decimal point.
    private static func add(_ other: [UInt8], to digits: inout [UInt8]) -> Int {
        var carry: UInt8 = 0
        for index in digits.indices.reversed() {
            let sum = digits[index] + other[index] + carry
            carry = sum > 9 ? 1 : 0
            digits[index] = sum > 9 ? sum - 10 : sum
        }
        if carry > 0 { digits.insert(carry, at: 0) }
        return Int(carry)
    }

    /// Subtracts digits of equal count that denote no greater number.
    private static func subtract(_ other: [UInt8], from digits: inout [UInt8]) {
        var borrow: UInt8 = 0
        for index in digits.indices.reversed() {
            let wanted = other[index] + borrow
            borrow = digits[index] < wanted ? 1 : 0
            digits[index] = digits[index] + 10 * borrow - wanted
        }
    }

    private static func text(_ digits: [UInt8], wholeCount: Int, isNegative: Bool) -> String {
        let whole = digits[..<wholeCount].drop { $0 == 0 }
        var fraction = digits[wholeCount...]
        while fraction.last == 0 { fraction.removeLast() }
        var bytes: [UInt8] = []
        if isNegative, !whole.isEmpty || !fraction.isEmpty { bytes.append(UInt8(ascii: "-")) }
        bytes += whole.isEmpty ? [UInt8(ascii: "0")] : whole.map { $0 + UInt8(ascii: "0") }
        bytes.append(UInt8(ascii: "."))
        bytes += fraction.isEmpty ? [UInt8(ascii: "0")] : fraction.map { $0 + UInt8(ascii: "0") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
