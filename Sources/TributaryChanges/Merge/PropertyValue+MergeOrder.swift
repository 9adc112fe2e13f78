extension PropertyValue {
    /// Whether this value stands against `other` under the rule `max` or `min`; any value stands against none.
    @usableFromInline
    package func replaces(_ other: PropertyValue, under rule: MergeRule) -> Bool {
        if isNull || other.isNull { return !isNull && other.isNull }
        return rule == .min ? precedes(other) : other.precedes(self)
    }

    /// A strict total order of the values of one attribute, the same on every machine.
    ///
    /// Values of one kind compare as in sorting. What that does not tell apart, or does not compare, is ordered by its
    /// bytes in the log: an integer before the same number as a double, bytes in their place before bytes beside the log.
    package func precedes(_ other: PropertyValue) -> Bool {
        if let order = compared(to: other), order != 0 { return order < 0 }
        if self == other { return false }
        return json.canonicalBytes.lexicographicallyPrecedes(other.json.canonicalBytes)
    }
}
