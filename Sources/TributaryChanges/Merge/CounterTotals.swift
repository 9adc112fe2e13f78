/// The state of a counter: one total for each writer, kept for the life of the identifier.
///
/// State: for each writer that has counted, the sum of its increments, and the sequence of the last of its transactions
/// that the sum includes. Merge statement 9: a deletion supersedes no increment. Of two totals of one writer, the total of
/// the side that has applied more of the writer's transactions wins, because the other total is an earlier sum of them.
package struct CounterTotals: Equatable, Sendable {
    package struct Total: Equatable, Sendable {
        /// The sequence of the writer's last transaction that the sum includes.
        package var sequence: UInt64
        package var sum: PropertyValue

        package init(sequence: UInt64, sum: PropertyValue) {
            self.sequence = sequence
            self.sum = sum
        }
    }

    package private(set) var totals: [UniqueID: Total] = [:]

    package init() {}

    /// Adds an increment of a writer's transaction; each transaction is applied once.
    package mutating func add(_ amount: PropertyValue, by writer: UniqueID, sequence: UInt64) {
        let before = totals[writer]
        let sum = CounterTotals.sum(before?.sum, amount)
        totals[writer] = Total(sequence: max(before?.sequence ?? 0, sequence), sum: sum)
    }

    /// Takes, for each writer, the total of the side that has applied more of its transactions.
    ///
    /// Commutative, associative and idempotent for sides that have applied the same transactions of each writer up to
    /// their sequences.
    package mutating func merge(_ other: CounterTotals) {
        totals.merge(other.totals) { own, theirs in
            if own.sequence != theirs.sequence { return own.sequence < theirs.sequence ? theirs : own }
            return own.sum.precedes(theirs.sum) ? theirs : own
        }
    }

    /// The counter's value; nil when no writer has counted.
    package var value: PropertyValue? { CounterTotals.value(of: totals.values.lazy.map(\.sum)) }

    /// The sum of the writers' totals, in any order; nil when there are none.
    ///
    /// A sum with fractions is rounded once: it is the nearest double, or the greatest or least finite one when the sum is
    /// beyond it.
    package static func value(of sums: some Sequence<PropertyValue>) -> PropertyValue? {
        var value: PropertyValue?
        for sum in sums { value = CounterTotals.sum(value, sum) }
        guard let value else { return nil }
        if case .integer = value { return value }
        return .double(ExactSum.rounded(value))
    }

    /// The total of a forked writer: the exact sum of what its branches have added; nil for none.
    package static func sum(ofBranches sums: [PropertyValue]) -> PropertyValue? {
        var total: PropertyValue?
        for sum in sums { total = CounterTotals.sum(total, sum) }
        return total
    }

    /// The exact sum of a total, nil when nothing has been counted, and an amount.
    ///
    /// Integers wrap around, and numbers with fractions are not rounded, so that the order of additions has no effect: a
    /// sum that no double has is a decimal. An integer and a number with a fraction, of which one was written before the
    /// model knew the attribute, add up to the latter.
    package static func sum(_ total: PropertyValue?, _ amount: PropertyValue) -> PropertyValue {
        switch (total, amount) {
        case (nil, .integer): amount
        case (.integer(let total)?, .integer(let amount)): .integer(total &+ amount)
        case (let total, _): ExactSum.sum(total ?? .double(0), amount)
        }
    }

    /// The exact difference of two totals.
    package static func difference(_ total: PropertyValue, _ amount: PropertyValue) -> PropertyValue {
        switch (total, amount) {
        case (.integer(let total), .integer(let amount)): .integer(total &- amount)
        default: ExactSum.sum(total, ExactSum.negated(amount))
        }
    }

    /// What an amount or a total is in the log: a counter of integers counts no fractions, and no counter anything else.
    package enum Kind: Hashable, Sendable { case integer, fraction, other }

    package static func kind(_ json: JSONValue) -> Kind {
        switch number(json) {
        case .integer?: .integer
        case nil: .other
        default: .fraction
        }
    }

    /// The number that the log has for an amount or a total; nil when it is none.
    ///
    /// A string is the exact decimal form of a sum that no double has.
    package static func number(_ json: JSONValue) -> PropertyValue? {
        switch json {
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .number(let text): Double(text).map(PropertyValue.double)
        case .string(let text): ExactSum.amount(text)
        case .null, .boolean, .array, .object, .unrepresentable: nil
        }
    }
}
