/// The state of a counter: one total for each writer, kept for the life of the identifier.
///
/// State: for each writer that has counted, the sum of its increments, and the sequence of the last of its transactions
/// that the sum includes. Merge statement 9: a deletion supersedes no increment. Of two totals of one writer, the total of
/// the side that has applied more of the writer's transactions wins, because the other total is an earlier sum of them.
package struct CounterTotals: Equatable, Sendable {
    /// The total of one writer.
    package struct Total: Equatable, Sendable {
        /// The sequence of the writer's last transaction that the sum includes.
        package var sequence: UInt64
        package var sum: PropertyValue

        package init(sequence: UInt64, sum: PropertyValue) {
            self.sequence = sequence
            self.sum = sum
        }
    }

    /// The totals by writer.
    package private(set) var totals: [UniqueID: Total] = [:]

    package init() {}

    /// Adds an increment of a writer's transaction; each transaction is applied once.
    package mutating func add(_ amount: PropertyValue, by writer: UniqueID, sequence: UInt64) {
        let before = totals[writer]
        let sum = before.map { CounterTotals.sum($0.sum, amount) } ?? amount
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
    ///
    /// The totals are added in the order of the writers' identifiers, so that a sum with fractions is equal on every
    /// replica.
    package var value: PropertyValue? {
        CounterTotals.value(of: totals.sorted { $0.key < $1.key }.lazy.map(\.value.sum))
    }

    /// The sum of the writers' totals, given in the order of the writers' identifiers; nil when there are none.
    package static func value(of sums: some Sequence<PropertyValue>) -> PropertyValue? {
        var value: PropertyValue?
        for sum in sums { value = value.map { CounterTotals.sum($0, sum) } ?? sum }
        return value
    }

    /// The sum of two numbers; integers wrap around, so that the order of additions has no effect.
    ///
    /// An integer and a double, of which one was written under a former type of the attribute, add up to a double.
    package static func sum(_ left: PropertyValue, _ right: PropertyValue) -> PropertyValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): .integer(left &+ right)
        case (.integer(let left), .double(let right)): .double(Double(left) + right)
        case (.double(let left), .integer(let right)): .double(left + Double(right))
        case (.double(let left), .double(let right)): .double(left + right)
        default: left
        }
    }
}
