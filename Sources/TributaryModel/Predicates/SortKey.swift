/// A key path to sort by, with the direction and the comparison of strings.
///
/// Values have the order of comparisons in predicates (see ``ObjectPredicate``); null comes before every value.
public struct SortKey: Sendable, Hashable {
    /// A comparison of strings, one of those that Core Data translates to SQL.
    ///
    /// The order is the same on every machine and in every locale: first letters without marks and case, then marks,
    /// then small before capital letters. Separators and signs come before numbers, and numbers before letters.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// By the UTF-8 bytes: `compare:`. Values other than strings have no other comparison.
        case value = ""
        /// By the UTF-8 bytes in lower case: `caseInsensitiveCompare:`.
        case caseInsensitive = "c"
        /// The order of words for people: `localizedCompare:`.
        case localized = "l"
        /// The order of words for people, ignoring case: `localizedCaseInsensitiveCompare:`.
        case localizedCaseInsensitive = "cl"
        /// The order of file names in file managers, with numbers by their value: `localizedStandardCompare:`.
        case localizedStandard = "s"
    }

    /// A property, or a path through to-one relationships such as `department.name`.
    public var keyPath: String
    /// Whether the least values come first; null comes before every value then.
    public var isAscending: Bool
    /// The comparison of strings.
    public var comparison: Comparison

    /// Creates a sort key, by default ascending and with the comparison ``Comparison/value``.
    ///
    /// - Parameters:
    ///   - keyPath: A property, or a path through to-one relationships.
    ///   - ascending: Whether the least values come first.
    ///   - comparison: The comparison of strings.
    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .value) {
        self.keyPath = keyPath
        isAscending = ascending
        self.comparison = comparison
    }
}
