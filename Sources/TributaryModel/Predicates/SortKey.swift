/// A key path to sort by, the direction, and how strings are compared.
///
/// Values are in the order in which predicates compare them (see ``ObjectPredicate``); no value comes before every value.
public struct SortKey: Sendable, Hashable {
    /// How strings are compared, with the comparisons that Core Data translates to SQL.
    ///
    /// The order is the same on every machine, whatever its locale: letters first without marks and case, then by their
    /// marks, then small before capital ones; separators and signs come before numbers, those before letters.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// By their UTF-8 bytes: `compare:`. Of values that are no strings it is the only one.
        case value = ""
        /// Lower-cased first: `caseInsensitiveCompare:`.
        case caseInsensitive = "c"
        /// As people sort words: `localizedCompare:`.
        case localized = "l"
        /// As people sort words, without regard to case: `localizedCaseInsensitiveCompare:`.
        case localizedCaseInsensitive = "cl"
        /// As file managers sort names, with numbers by their value: `localizedStandardCompare:`.
        case localizedStandard = "s"
    }

    /// A property, or a path through to-one relationships such as `department.name`.
    public var keyPath: String
    /// Least values first; nil comes before every value.
    public var isAscending: Bool
    /// How strings are compared.
    public var comparison: Comparison

    /// A sort key, ascending and by the values themselves unless it is said otherwise.
    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .value) {
        self.keyPath = keyPath
        isAscending = ascending
        self.comparison = comparison
    }
}
