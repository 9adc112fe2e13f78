/// Canonical decimals: no exponent, no plus sign, no superfluous zeros, and no negative zero.
///
/// Like Foundation's `Decimal`, they have up to 38 digits, and the last digit counts units of 10⁻¹²⁸ to 10¹²⁷.
package enum DecimalText {
    private static let maximumDigits = 38
    private static let exponents = -128...127

    package static func canonical(_ text: String) -> String? {
        guard var number = Parts(text) else { return nil }
        number.trim()
        return number.isRepresentable ? number.text : nil
    }

    package static func compare(_ left: String, _ right: String) -> Int {
        let leftNegative = left.utf8.first == UInt8(ascii: "-")
        let rightNegative = right.utf8.first == UInt8(ascii: "-")
        guard leftNegative == rightNegative else { return leftNegative ? -1 : 1 }
        let result = compareMagnitudes(left.utf8, right.utf8)
        return leftNegative ? -result : result
    }

    private static func compareMagnitudes(_ left: String.UTF8View, _ right: String.UTF8View) -> Int {
        let sign = UInt8(ascii: "-")
        let leftParts = left.drop { $0 == sign }.split(separator: UInt8(ascii: "."))
        let rightParts = right.drop { $0 == sign }.split(separator: UInt8(ascii: "."))
        guard let leftInteger = leftParts.first, let rightInteger = rightParts.first else {
            return leftParts.count - rightParts.count
        }
        guard leftInteger.count == rightInteger.count else { return leftInteger.count < rightInteger.count ? -1 : 1 }
        if leftInteger.lexicographicallyPrecedes(rightInteger) { return -1 }
        if rightInteger.lexicographicallyPrecedes(leftInteger) { return 1 }
        let leftFraction = leftParts.count > 1 ? Array(leftParts[1]) : []
        let rightFraction = rightParts.count > 1 ? Array(rightParts[1]) : []
        if leftFraction.lexicographicallyPrecedes(rightFraction) { return -1 }
        return rightFraction.lexicographicallyPrecedes(leftFraction) ? 1 : 0
    }

    /// Nil when the sum of the canonical decimals has too many digits; intermediate sums may have more digits.
    package static func sum(_ texts: [String]) -> String? {
        let number = sum(texts.compactMap { Parts($0) })
        return number.isRepresentable ? number.text : nil
    }

    static func sum(_ numbers: [Parts]) -> Parts {
        let exponent = numbers.map(\.exponent).min() ?? 0
        var columns: [Int] = []
        for number in numbers {
            let start = number.exponent - exponent
            let missing = start + number.digits.count - columns.count
            if missing > 0 { columns += repeatElement(0, count: missing) }
            for (offset, digit) in number.columns.enumerated() { columns[start + offset] += digit }
        }
        return Parts(columns: columns, exponent: exponent)
    }

    package static func product(_ left: String, _ right: String) -> String? {
        guard let left = Parts(left), let right = Parts(right) else { return nil }
        var columns = [Int](repeating: 0, count: left.digits.count + right.digits.count)
        let factors = right.columns
        for (index, digit) in left.columns.enumerated() {
            for (other, factor) in factors.enumerated() { columns[index + other] += digit * factor }
        }
        let number = Parts(columns: columns, exponent: left.exponent + right.exponent)
        return number.isRepresentable ? number.text : nil
    }

    package static func negated(_ text: String) -> String {
        text == "0" ? text : text.hasPrefix("-") ? String(text.dropFirst()) : "-" + text
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    struct Parts: Equatable {
        private static let zero = UInt8(ascii: "0")

        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0

        var isRepresentable: Bool {
            digits.count <= maximumDigits && DecimalText.exponents.contains(exponent)
        }

        init(isNegative: Bool, digits: [UInt8], exponent: Int) {
            self.isNegative = isNegative
            self.digits = digits
            self.exponent = exponent
            trim()
        }

        init(columns: [Int], exponent: Int) {
            var (digits, rest) = Parts.carried(columns)
            let isNegative = rest < 0
            if isNegative { (digits, rest) = Parts.carried(columns.map { -$0 }) }
            while rest > 0 {
                digits.append(rest % 10)
                rest /= 10
            }
            let text = digits.reversed().map { Parts.zero + UInt8($0) }
            self.init(isNegative: isNegative, digits: text, exponent: exponent)
        }

        /// Carries from column to column, so that each has one digit; `rest` is the carry of the last column.
        private static func carried(_ columns: [Int]) -> (digits: [Int], rest: Int) {
            var carry = 0
            let digits = columns.map { column in
                let sum = column + carry
                let digit = (sum % 10 + 10) % 10
                carry = (sum - digit) / 10
                return digit
            }
            return (digits, carry)
        }

        var columns: [Int] { digits.reversed().map { Int($0 - Parts.zero) * (isNegative ? -1 : 1) } }

        /// Parses a number such as `-1.50`, `+2` or `1.2e3`; the limits are in bytes (no decimal has more than 400).
        init?(_ text: String, maximumLength: Int = 400, maximumPower: Int = 999) {
            let bytes = Array(text.utf8)
            guard !bytes.isEmpty, bytes.count <= maximumLength else { return nil }
            var index = 0
            if bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
                isNegative = bytes[0] == UInt8(ascii: "-")
                index = 1
            }
            var sawPoint = false
            while index < bytes.count {
                let byte = bytes[index]
                if DecimalText.isDigit(byte) {
                    digits.append(byte)
                    if sawPoint { exponent -= 1 }
                } else if byte == UInt8(ascii: "."), !sawPoint {
                    sawPoint = true
                } else {
                    break
                }
                index += 1
            }
            guard !digits.isEmpty else { return nil }
            guard index < bytes.count else { return }
            guard bytes[index] == UInt8(ascii: "e") || bytes[index] == UInt8(ascii: "E"),
                let power = Int(String(decoding: bytes[(index + 1)...], as: UTF8.self)), power.magnitude <= maximumPower
            else { return nil }
            exponent += power
        }

        mutating func trim() {
            digits = Array(digits.drop { $0 == Parts.zero })
            while digits.last == Parts.zero {
                digits.removeLast()
                exponent += 1
            }
            if digits.isEmpty {
                isNegative = false
                exponent = 0
            }
        }

        var text: String {
            let zero = Parts.zero
            var result: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
            if exponent >= 0 {
                result += digits.isEmpty ? [zero] : digits
                result += Array(repeating: zero, count: exponent)
            } else if digits.count + exponent > 0 {
                result += digits.dropLast(-exponent)
                result.append(UInt8(ascii: "."))
                result += digits.suffix(-exponent)
            } else {
                result += [zero, UInt8(ascii: ".")]
                result += Array(repeating: zero, count: -exponent - digits.count)
                result += digits
            }
            return String(decoding: result, as: UTF8.self)
        }
    }
}
