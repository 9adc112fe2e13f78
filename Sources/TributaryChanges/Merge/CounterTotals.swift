/// The arithmetic of counters: the value is the sum of one total for each writer.
///
/// Totals are kept for the life of the identifier: a deletion supersedes no increment (merge statement 9). A total of
/// zero is equivalent to no total, except that a counter without any total has its default.
package enum CounterTotals {
    /// Nil without totals; a sum with fractions is rounded once, to the nearest finite double.
    package static func value(of sums: some Sequence<PropertyValue>) -> PropertyValue? {
        var value: PropertyValue?
        for sum in sums { value = CounterTotals.sum(value, sum) }
        guard let value else { return nil }
        if case .integer = value { return value }
        return .double(ExactSum.rounded(value))
    }

    package static func value(of sums: some Sequence<PropertyValue>, above initial: PropertyValue) -> PropertyValue {
        initial.isNull ? value(of: sums) ?? .null : value(of: [initial] + sums) ?? initial
    }

    /// The exact sum of a total and an amount.
    ///
    /// Integers wrap around, and fractions are not rounded (a sum that is not a double is a decimal), so that the order
    /// of additions has no effect. Integers and fractions mix when the model did not know the attribute at first.
    package static func sum(_ total: PropertyValue?, _ amount: PropertyValue) -> PropertyValue {
        switch (total, amount) {
        case (nil, .integer): amount
        case (.integer(let total)?, .integer(let amount)): .integer(total &+ amount)
        case (let total, _): ExactSum.sum(total ?? .double(0), amount)
        }
    }

    package static func difference(_ total: PropertyValue, _ amount: PropertyValue) -> PropertyValue {
        switch (total, amount) {
        case (.integer(let total), .integer(let amount)): .integer(total &- amount)
        default: ExactSum.sum(total, ExactSum.negated(amount))
        }
    }

    /// The amount that assigning `new` to a counter with the value `old` adds; null is zero.
    ///
    /// Nothing else in the program turns an assignment into an increment.
    package static func amount(from old: PropertyValue, to new: PropertyValue) -> PropertyValue {
        switch (old, new) {
        case (.null, .null): .integer(0)
        case (.null, _): new
        case (_, .null): difference(.integer(0), old)
        default: difference(new, old)
        }
    }

    package static func isZero(_ amount: PropertyValue) -> Bool { amount == .integer(0) || amount == .double(0) }

    /// A counter of integers takes no fractions, and no counter takes other values.
    package enum Kind: Hashable, Sendable { case integer, fraction, other }

    package static func kind(_ json: JSONValue) -> Kind {
        switch number(json) {
        case .integer?: .integer
        case nil: .other
        default: .fraction
        }
    }

    /// A string is the exact decimal form of a sum that is not a double.
    package static func number(_ json: JSONValue) -> PropertyValue? {
        switch json {
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .number(let text), .unrepresentable(let text):
            Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .string(let text): ExactSum.amount(text)
        case .null, .boolean, .array, .object: nil
        }
    }
}
