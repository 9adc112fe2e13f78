package import TributaryChanges

extension ObjectPredicate {
    package enum Aggregate: String, Sendable, Hashable, CaseIterable {
        case sum, min, max
        case average = "avg"
        case count
    }
}

extension ObjectPredicate.Aggregate {
    package func takes(_ kind: ValueKind) -> Bool {
        switch (self, kind) {
        case (.count, _), (_, .number), (_, .decimal): true
        case (.min, .date), (.max, .date), (.min, .string), (.max, .string): true
        default: false
        }
    }

    package func type(of values: AttributeType?) -> AttributeType? {
        switch self {
        case .count: .integer64
        case .average: .double
        case .min, .max: values
        case .sum: values?.isInteger == true ? .integer64 : values == .float ? .double : values
        }
    }

    /// Used for SQL and in memory: the order of the values has no effect, and only the count includes nulls.
    package func value(of values: [PropertyValue], kind: ValueKind) -> PropertyValue {
        var present: [PropertyValue] { values.filter { !$0.isNull }.sorted { $0.sortOrder(to: $1) < 0 } }
        return switch self {
        case .count: .integer(Int64(values.count))
        case .min: present.first ?? .null
        case .max: present.last ?? .null
        case .sum where kind == .decimal: Self.decimalSum(present).map(PropertyValue.decimal) ?? .null
        case .sum: Self.sum(present)
        case .average: Self.average(present, kind: kind)
        }
    }

    private static func average(_ values: [PropertyValue], kind: ValueKind) -> PropertyValue {
        guard !values.isEmpty else { return .null }
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
