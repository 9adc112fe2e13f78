import Foundation
package import TributaryChanges

package enum FunctionEvaluator {
    package static func value(
        _ function: ObjectPredicate.Function,
        _ arguments: [PropertyValue]
    ) -> PropertyValue {
        guard arguments.count == function.argumentCount, var value = arguments.first else { return .null }
        // Strings and URIs are one type in SQL.
        if case .uri(let text) = value { value = .string(text) }
        switch function {
        case .now: return .null
        case .add, .subtract, .multiply, .divide, .power, .modulus: return combine(function, value, arguments[1])
        case .absolute: return absolute(value)
        case .ceiling: return rounded(value, .up)
        case .floor: return rounded(value, .down)
        case .truncate: return rounded(value, .towardZero)
        case .squareRoot: return value.number.map { double($0.squareRoot()) } ?? .null
        case .uppercase: return value.text.map { .string($0.uppercased()) } ?? .null
        case .lowercase: return value.text.map { .string($0.lowercased()) } ?? .null
        case .canonical:
            let folding: StringFolding = [.caseInsensitive, .diacriticInsensitive]
            return value.text.map { .string(folding.fold($0)) } ?? .null
        case .length: return value.text.map { .integer(Int64($0.unicodeScalars.count)) } ?? .null
        case .castToNumber, .castToDecimal, .castToString, .castToDate: return cast(function, value)
        }
    }

    private static func absolute(_ value: PropertyValue) -> PropertyValue {
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

    /// Returns the number, with negative zero as zero; null for infinities and NaN.
    private static func double(_ value: Double) -> PropertyValue { value.isFinite ? .double(value + 0) : .null }

    // MARK: Arithmetic

    private static func combine(
        _ function: ObjectPredicate.Function,
        _ left: PropertyValue,
        _ right: PropertyValue
    ) -> PropertyValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return integers(function, left, right)
        case (.decimal(let left), .decimal(let right)): return decimals(function, left, right)
        case (.date(let left), .date(let right)):
            guard function == .subtract else { return .null }
            return double(left.secondsSinceReferenceDate - right.secondsSinceReferenceDate)
        case (.date(let date), _):
            let left = date.secondsSinceReferenceDate
            guard let seconds = right.number else { return .null }
            return double(function == .subtract ? left - seconds : left + seconds).asDate
        case (_, .date(let date)):
            let right = date.secondsSinceReferenceDate
            guard let seconds = left.number, function == .add else { return .null }
            return double(seconds + right).asDate
        default:
            guard let left = left.number, let right = right.number else { return .null }
            return doubles(function, left, right)
        }
    }

    private static func integers(_ function: ObjectPredicate.Function, _ left: Int64, _ right: Int64) -> PropertyValue {
        let result: (partialValue: Int64, overflow: Bool)
        switch function {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide: result = left.dividedReportingOverflow(by: right)
        case .modulus: result = right == -1 ? (0, false) : left.remainderReportingOverflow(dividingBy: right)
        default: return doubles(function, Double(left), Double(right))
        }
        return result.overflow ? .null : .integer(result.partialValue)
    }

    private static func doubles(_ function: ObjectPredicate.Function, _ left: Double, _ right: Double) -> PropertyValue
    {
        switch function {
        case .add: double(left + right)
        case .subtract: double(left - right)
        case .multiply: double(left * right)
        case .divide: right == 0 ? .null : double(left / right)
        case .modulus: right == 0 ? .null : double(left.truncatingRemainder(dividingBy: right))
        case .power: double(pow(left, right))
        default: .null
        }
    }

    private static func decimals(_ function: ObjectPredicate.Function, _ left: String, _ right: String) -> PropertyValue
    {
        let result: String? =
            switch function {
            case .add: DecimalText.sum([left, right])
            case .subtract: DecimalText.sum([left, DecimalText.negated(right)])
            case .multiply: DecimalText.product(left, right)
            default: nil
            }
        return result.map(PropertyValue.decimal) ?? .null
    }

    // MARK: Casts

    private static func cast(_ function: ObjectPredicate.Function, _ value: PropertyValue) -> PropertyValue {
        switch (function, value) {
        case (.castToNumber, .integer), (.castToNumber, .double), (.castToDecimal, .decimal), (.castToDate, .date),
            (.castToString, .string):
            return value
        case (.castToNumber, .boolean(let flag)): return .integer(flag ? 1 : 0)
        case (.castToNumber, .date(let seconds)): return double(seconds.secondsSinceReferenceDate)
        case (.castToNumber, .decimal(let text)), (.castToNumber, .string(let text)):
            return Int64(text).map(PropertyValue.integer) ?? Double(text).map(double) ?? .null
        case (.castToDecimal, .string(let text)): return DecimalText.canonical(text).map(PropertyValue.decimal) ?? .null
        case (.castToDecimal, .integer(let number)): return .decimal(String(number))
        case (.castToDecimal, .double(let number)):
            return DecimalText.canonical(number.description).map(PropertyValue.decimal) ?? .null
        case (.castToDate, .string(let text)):
            return DateText.unixSeconds(text).map { .date(DateValue(unixSeconds: $0)) } ?? .null
        case (.castToDate, _):
            return value.number.map { double($0).asDate } ?? .null
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

    /// The date that is this number of seconds after the start of 2001.
    fileprivate var asDate: PropertyValue {
        if case .double(let seconds) = self {
            .date(DateValue(secondsSinceReferenceDate: seconds))
        } else {
            .null
        }
    }
}
