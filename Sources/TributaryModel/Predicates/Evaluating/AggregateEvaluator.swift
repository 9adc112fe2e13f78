package import TributaryChanges

/// Computes aggregates, for SQL and in memory; the order of the values has no effect.
package enum AggregateEvaluator {
    /// Returns the aggregate of the values at the end of a path; every aggregate but the count ignores nulls.
    package static func value(
        _ aggregate: ObjectPredicate.Aggregate,
        _ values: [PropertyValue],
        kind: ValueKind
    ) -> PropertyValue {
        if aggregate == .count { return .integer(Int64(values.count)) }
        let values = values.filter { !$0.isNull }.sorted { $0.sortOrder(to: $1) < 0 }
        switch aggregate {
        case .min: return values.first ?? .null
        case .max: return values.last ?? .null
        case .sum: return kind == .decimal ? decimalSum(values).map(PropertyValue.decimal) ?? .null : sum(values)
        case .average:
            guard !values.isEmpty else { return .null }
            return average(values, kind: kind)
        case .count: return .null
        }
    }

    private static func average(_ values: [PropertyValue], kind: ValueKind) -> PropertyValue {
        let total: Double? =
            if kind == .decimal {
                decimalSum(values).flatMap { Double($0) }
            } else if let whole = wholeSum(values) {
                Double(whole)
            } else {
                doubleSum(values)
            }
        guard let total, (total / Double(values.count)).isFinite else { return .null }
        return .double(total / Double(values.count) + 0)
    }

    private static func sum(_ values: [PropertyValue]) -> PropertyValue {
        if let whole = wholeSum(values) { return Int64(exactly: whole).map(PropertyValue.integer) ?? .null }
        let total = doubleSum(values)
        return total.isFinite ? .double(total + 0) : .null
    }

    private static func wholeSum(_ values: [PropertyValue]) -> Int128? {
        var total: Int128 = 0
        for value in values {
            guard case .integer(let number) = value else { return nil }
            total += Int128(number)
        }
        return total
    }

    private static func doubleSum(_ values: [PropertyValue]) -> Double {
        values.reduce(0) { total, value in
            switch value {
            case .integer(let number): total + Double(number)
            case .double(let number): total + number
            default: total
            }
        }
    }

    private static func decimalSum(_ values: [PropertyValue]) -> String? {
        DecimalText.sum(
            values.compactMap { value in
                if case .decimal(let text) = value { text } else { nil }
            }
        )
    }
}

/// The values of `IN`, sorted for a binary search.
package struct SortedValues: Sendable {
    private let values: [PropertyValue]

    /// Sorts values of one kind; values that equal nothing, such as NaN, are left out.
    init(_ values: [PropertyValue]) {
        self.values = values.filter { $0.compared(to: $0) == 0 }.sorted { ($0.compared(to: $1) ?? 0) < 0 }
    }

    func contains(_ value: PropertyValue) -> Bool {
        var range = 0..<values.count
        while let first = range.first {
            let middle = first + range.count / 2
            guard let order = value.compared(to: values[middle]) else { return false }
            if order == 0 { return true }
            range = order < 0 ? first..<middle : (middle + 1)..<range.upperBound
        }
        return false
    }
}
