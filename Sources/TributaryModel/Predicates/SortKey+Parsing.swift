extension SortKey {
    /// Parses sort keys as `sort=` and `--sort` take them: `name,-salary,department.name`, with a minus for descending.
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
