extension DecimalText {
    /// The exact sum of canonical decimals; nil when it has too many digits.
    ///
    /// Intermediate sums may have more digits than the result.
    package static func sum(_ texts: [String]) -> String? {
        let number = sum(texts.compactMap { Parts($0) })
        return number.isRepresentable ? number.text : nil
    }

    /// Exact whatever the number of digits, and without superfluous zeros.
    static func sum(_ numbers: [Parts]) -> Parts {
        let exponent = numbers.map(\.exponent).min() ?? 0
        var positive: [UInt8] = []
        var negative: [UInt8] = []
        for number in numbers {
            let digits = number.littleEndian(exponent: exponent)
            if number.isNegative { add(digits, to: &negative) } else { add(digits, to: &positive) }
        }
        let isNegative = isLess(positive, negative)
        let difference = isNegative ? subtract(positive, from: negative) : subtract(negative, from: positive)
        return trimmed(isNegative: isNegative, difference, exponent: exponent)
    }

    /// The exact product of canonical decimals; nil when it has too many digits.
    package static func product(_ left: String, _ right: String) -> String? {
        guard let left = Parts(left), let right = Parts(right) else { return nil }
        let (first, second) = (left.littleEndian(exponent: left.exponent), right.littleEndian(exponent: right.exponent))
        var result = [Int](repeating: 0, count: first.count + second.count + 1)
        for (index, digit) in first.enumerated() {
            for (other, factor) in second.enumerated() { result[index + other] += Int(digit) * Int(factor) }
        }
        for index in result.indices.dropLast() {
            result[index + 1] += result[index] / 10
            result[index] %= 10
        }
        let number = trimmed(
            isNegative: left.isNegative != right.isNegative,
            result.map { UInt8(truncatingIfNeeded: $0) },
            exponent: left.exponent + right.exponent
        )
        return number.isRepresentable ? number.text : nil
    }

    package static func negated(_ text: String) -> String {
        text == "0" ? text : text.hasPrefix("-") ? String(text.dropFirst()) : "-" + text
    }

    // The last digit comes first in these functions.
    private static func trimmed(isNegative: Bool, _ digits: [UInt8], exponent: Int) -> Parts {
        var number = Parts(
            isNegative: isNegative,
            digits: digits.reversed().map { $0 + UInt8(ascii: "0") },
            exponent: exponent
        )
        number.trim()
        return number
    }

    private static func add(_ digits: [UInt8], to total: inout [UInt8]) {
        var carry: UInt8 = 0
        total += repeatElement(0, count: max(0, digits.count - total.count) + 1)
        for index in total.indices {
            let sum = total[index] + (index < digits.count ? digits[index] : 0) + carry
            carry = sum > 9 ? 1 : 0
            total[index] = sum - carry * 10
        }
        while total.last == 0 { total.removeLast() }
    }

    private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if left.count != right.count { return left.count < right.count }
        return left.reversed().lexicographicallyPrecedes(right.reversed())
    }

    /// `digits` is not greater than `total`.
    private static func subtract(_ digits: [UInt8], from total: [UInt8]) -> [UInt8] {
        var result = total
        var borrow: UInt8 = 0
        for index in result.indices {
            let taken = (index < digits.count ? digits[index] : 0) + borrow
            borrow = result[index] < taken ? 1 : 0
            result[index] = result[index] + borrow * 10 - taken
        }
        return result
    }
}

extension DecimalText.Parts {
    /// The digits, the last one first, of the number as a multiple of 10^`exponent`, which is at most the number's own.
    fileprivate func littleEndian(exponent: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: self.exponent - exponent)
        result.reserveCapacity(result.count + digits.count)
        for digit in digits.reversed() { result.append(digit - UInt8(ascii: "0")) }
        while result.last == 0 { result.removeLast() }
        return result
    }
}
