extension PropertyValue {
    /// Whether this value wins against `other` under a rule that compares values; any value wins against a missing one.
    ///
    /// The other rules compare no values: under them no value wins.
    @usableFromInline
    package func replaces(_ other: PropertyValue, under rule: MergeRule) -> Bool {
        if isNull || other.isNull { return !isNull && other.isNull }
        return switch rule {
        case .max: other.precedes(self)
        case .min: precedes(other)
        case .latest, .counter: false
        }
    }

    /// A strict total order of values that is equal on every machine.
    ///
    /// Values of one kind compare as in sorting, values of different kinds by their kind. Values that compare as equal,
    /// or that do not compare, are ordered by their bytes in the log: −0.0 before the integer 0 and that before 0.0,
    /// a `.binary` value before a `.blob` reference. NaN comes before all numbers.
    @usableFromInline
    package func precedes(_ other: PropertyValue) -> Bool {
        if mergeKind != other.mergeKind { return mergeKind < other.mergeKind }
        if isNaN || other.isNaN { return isNaN && !other.isNaN }
        if let order = compared(to: other), order != 0 { return order < 0 }
        return json.canonicalBytes.lexicographicallyPrecedes(other.json.canonicalBytes)
    }

    private var isNaN: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .date(let value): value.secondsSinceReferenceDate.isNaN
        default: false
        }
    }

    /// The kind of the value; values of one kind compare with each other, and nil is a kind of its own.
    private var mergeKind: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer, .double: 2
        case .decimal: 3
        case .date: 4
        case .string, .uri: 5
        case .uuid: 6
        case .reference: 7
        case .binary, .blob: 8
        case .composite: 9
        }
    }
}
