/// A key path to sort by, with the direction and the comparison of strings.
///
/// Values have the order of comparisons in predicates (see ``ObjectPredicate``); null comes before every value.
public struct SortKey: Sendable, Hashable {
    /// A comparison of strings that Core Data translates to SQL.
    ///
    /// The order is the same on every machine and in every locale: first letters without marks and case, then marks,
    /// then small before capital letters. Separators and signs come before numbers, and numbers before letters.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// By the UTF-8 bytes: `compare:`; the only comparison of values other than strings.
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
    /// Whether the least values come first; then null comes before every value.
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

extension SortKey {
    /// Parses sort keys in the format of `sort=` and `--sort`: `name,-salary,department.name`, with a minus for
    /// descending.
    ///
    /// A suffix `[c]`, `[l]`, `[cl]` or `[s]` selects the comparison of strings; see ``SortKey/Comparison``.
    ///
    /// - Throws: ``ObjectPredicateError`` with the position of an empty key.
    public static func parse(_ text: String) throws(ObjectPredicateError) -> [SortKey] {
        var keys: [SortKey] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var name = part.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            let isDescending = name.first == "-"
            if isDescending || name.first == "+" { name.removeFirst() }
            var comparison = Comparison.value
            if name.last == "]", let start = name.lastIndex(of: "[") {
                let option = name[name.index(after: start)...].dropLast().lowercased()
                guard let known = Comparison(rawValue: option == "lc" ? "cl" : option), known != .value else {
                    throw ObjectPredicateError("a comparison is [c], [l], [cl] or [s]", in: text, at: start)
                }
                comparison = known
                name = name[..<start]
            }
            guard !name.isEmpty, !name.contains(" ") else {
                throw ObjectPredicateError("expected the name of a property", in: text, at: part.startIndex)
            }
            keys.append(SortKey(String(name), ascending: !isDescending, comparison: comparison))
        }
        return keys
    }
}

extension SortKey: CustomStringConvertible {
    /// The key in the format of ``parse(_:)``.
    public var description: String {
        let option = comparison == .value ? "" : "[\(comparison.rawValue)]"
        return "\(isAscending ? "" : "-")\(keyPath)\(option)"
    }
}
