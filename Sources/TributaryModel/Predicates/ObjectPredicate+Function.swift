import Foundation
package import TributaryChanges

extension ObjectPredicate {
    /// A function of other expressions.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case power = "**"
        /// The remainder, with the sign of the dividend.
        case modulus = "modulus:by:"
        case absolute = "abs:"
        case ceiling = "ceiling:"
        case floor = "floor:"
        /// The integer part.
        case truncate = "trunc:"
        case squareRoot = "sqrt:"
        case uppercase = "uppercase:"
        case lowercase = "lowercase:"
        /// Lower case without diacritics.
        case canonical = "canonical:"
        case length = "length:"
        /// The time of the fetch.
        case now = "now"
        /// `CAST(x, 'NSNumber')`.
        case castToNumber = "NSNumber"
        case castToDecimal = "NSDecimalNumber"
        case castToString = "NSString"
        case castToDate = "NSDate"
    }
}

extension ObjectPredicate.Function {
    package var argumentCount: Int {
        switch self {
        case .now: 0
        case .add, .subtract, .multiply, .divide, .power, .modulus: 2
        default: 1
        }
    }

    func kind(of arguments: [ValueKind]) -> ValueKind? {
        let first = arguments.first ?? .opaque
        switch self {
        case .now: return .date
        case .add, .subtract, .multiply, .divide, .power, .modulus: return combined(first, arguments.last ?? .opaque)
        case .absolute: return first == .number || first == .decimal ? first : nil
        case .ceiling, .floor, .truncate, .squareRoot: return first == .number ? .number : nil
        case .uppercase, .lowercase, .canonical: return first == .string ? .string : nil
        case .length: return first == .string ? .number : nil
        case .castToNumber:
            return [.number, .decimal, .boolean, .string, .date].contains(first) ? .number : nil
        case .castToDecimal: return [.number, .decimal, .string].contains(first) ? .decimal : nil
        case .castToString: return [.number, .decimal, .string, .uuid].contains(first) ? .string : nil
        case .castToDate: return [.number, .string, .date].contains(first) ? .date : nil
        }
    }

    var isCast: Bool {
        switch self {
        case .castToNumber, .castToDecimal, .castToString, .castToDate: true
        default: false
        }
    }

    func text(of arguments: [String]) -> String {
        switch self {
        case .add, .subtract, .multiply, .divide, .power: "(\(arguments.joined(separator: " \(rawValue) ")))"
        case _ where isCast: "CAST(\(arguments.joined(separator: ", ")), '\(rawValue)')"
        default: "\(rawValue)(\(arguments.joined(separator: ", ")))"
        }
    }

    private func combined(_ left: ValueKind, _ right: ValueKind) -> ValueKind? {
        switch (left, right) {
        case (.number, .number): .number
        case (.decimal, .decimal): self == .add || self == .subtract || self == .multiply ? .decimal : nil
        case (.date, .number): self == .add || self == .subtract ? .date : nil
        case (.number, .date): self == .add ? .date : nil
        case (.date, .date): self == .subtract ? .number : nil
        default: nil
        }
    }
}

extension ObjectPredicate.Function {
    /// Used for SQL and in memory; null when there is no result.
    package func value(of arguments: [PropertyValue]) -> PropertyValue {
        guard arguments.count == argumentCount, var value = arguments.first else { return .null }
        // Strings and URIs are one type in SQL.
        if case .uri(let text) = value { value = .string(text) }
        switch self {
        case .now: return .null
        case .add, .subtract, .multiply, .divide, .power, .modulus: return combine(value, arguments[1])
        case .absolute: return Self.magnitude(of: value)
        case .ceiling: return Self.rounded(value, .up)
        case .floor: return Self.rounded(value, .down)
        case .truncate: return Self.rounded(value, .towardZero)
        case .squareRoot: return value.number.map { Self.double($0.squareRoot()) } ?? .null
        case .uppercase: return value.text.map { .string($0.uppercased()) } ?? .null
        case .lowercase: return value.text.map { .string($0.lowercased()) } ?? .null
        case .canonical:
            let folding: StringFolding = [.caseInsensitive, .diacriticInsensitive]
            return value.text.map { .string(folding.fold($0)) } ?? .null
        case .length: return value.text.map { .integer(Int64($0.unicodeScalars.count)) } ?? .null
        case .castToNumber, .castToDecimal, .castToString, .castToDate: return cast(value)
        }
    }

    private static func magnitude(of value: PropertyValue) -> PropertyValue {
        switch value {
        case .integer(let number): number == .min ? .null : .integer(abs(number))
        case .double(let number): double(number.magnitude)
        case .decimal(let text): .decimal(text.hasPrefix("-") ? String(text.dropFirst()) : text)
        default: .null
        }
    }

    private static func rounded(_ value: PropertyValue, _ rule: FloatingPointRoundingRule) -> PropertyValue {
        switch value {
        case .integer: value
        case .double(let number): double(number.rounded(rule))
        default: .null
        }
    }

    private static func double(_ value: Double) -> PropertyValue { value.isFinite ? .double(value + 0) : .null }

    // MARK: Arithmetic

    private func combine(_ left: PropertyValue, _ right: PropertyValue) -> PropertyValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return integers(left, right)
        case (.decimal(let left), .decimal(let right)): return decimals(left, right)
        case (.date(let left), .date(let right)):
            guard self == .subtract else { return .null }
            return Self.double(left.secondsSinceReferenceDate - right.secondsSinceReferenceDate)
        case (.date(let date), _):
            let left = date.secondsSinceReferenceDate
            guard let seconds = right.number else { return .null }
            return Self.double(self == .subtract ? left - seconds : left + seconds).asDate
        case (_, .date(let date)):
            let right = date.secondsSinceReferenceDate
            guard let seconds = left.number, self == .add else { return .null }
            return Self.double(seconds + right).asDate
        default:
            guard let left = left.number, let right = right.number else { return .null }
            return doubles(left, right)
        }
    }

    private func integers(_ left: Int64, _ right: Int64) -> PropertyValue {
        let result: (partialValue: Int64, overflow: Bool)
        switch self {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide: result = left.dividedReportingOverflow(by: right)
        case .modulus: result = right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
        default: return doubles(Double(left), Double(right))
        }
        return result.overflow ? .null : .integer(result.partialValue)
    }

    private func doubles(_ left: Double, _ right: Double) -> PropertyValue {
        switch self {
        case .add: Self.double(left + right)
        case .subtract: Self.double(left - right)
        case .multiply: Self.double(left * right)
        case .divide: right == 0 ? .null : Self.double(left / right)
        case .modulus: right == 0 ? .null : Self.double(left.truncatingRemainder(dividingBy: right))
        case .power: Self.double(pow(left, right))
        default: .null
        }
    }

    private func decimals(_ left: String, _ right: String) -> PropertyValue {
        let result: String? =
            switch self {
            case .add: DecimalText.sum([left, right])
            case .subtract: DecimalText.sum([left, DecimalText.negated(right)])
            case .multiply: DecimalText.product(left, right)
            default: nil
            }
        return result.map(PropertyValue.decimal) ?? .null
    }

    // MARK: Casts

    private func cast(_ value: PropertyValue) -> PropertyValue {
        switch (self, value) {
        case (.castToNumber, .integer), (.castToNumber, .double), (.castToDecimal, .decimal), (.castToDate, .date),
            (.castToString, .string):
            return value
        case (.castToNumber, .boolean(let flag)): return .integer(flag ? 1 : 0)
        case (.castToNumber, .date(let seconds)): return Self.double(seconds.secondsSinceReferenceDate)
        case (.castToNumber, .decimal(let text)), (.castToNumber, .string(let text)):
            return Int64(text).map(PropertyValue.integer) ?? Double(text).map(Self.double) ?? .null
        case (.castToDecimal, .string), (.castToDecimal, .integer), (.castToDecimal, .double):
            return value.coerced(to: .decimal) ?? .null
        case (.castToDate, .string): return value.coerced(to: .date) ?? .null
        case (.castToDate, _):
            return value.number.map { Self.double($0).asDate } ?? .null
        case (.castToString, .integer(let number)): return .string(String(number))
        case (.castToString, .double(let number)): return .string((number + 0).description)
        case (.castToString, .decimal(let text)): return .string(text)
        case (.castToString, .uuid(let id)): return .string(id.description)
        default: return .null
        }
    }
}

extension PropertyValue {
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    fileprivate var asDate: PropertyValue {
        if case .double(let seconds) = self {
            .date(DateValue(secondsSinceReferenceDate: seconds))
        } else {
            .null
        }
    }
}
