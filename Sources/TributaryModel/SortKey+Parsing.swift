extension SortKey {
    /// Sort keys as `sort=` and `--sort` take them: `name,-salary,department.name`, a minus for descending.
    ///
    /// - Throws: ``ObjectPredicateError`` with the place when a key is empty.
    public static func parse(_ text: String) throws(ObjectPredicateError) -> [SortKey] {
        var keys: [SortKey] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            var name = part.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            let isDescending = name.first == "-"
            if isDescending || name.first == "+" { name.removeFirst() }
            guard !name.isEmpty, !name.contains(" ") else {
                throw ObjectPredicateError("expected the name of a property", in: text, at: part.startIndex)
            }
            keys.append(SortKey(String(name), ascending: !isDescending))
        }
        return keys
    }
}

extension SortKey: CustomStringConvertible {
    /// The key as ``parse(_:)`` reads it.
    public var description: String { isAscending ? keyPath : "-\(keyPath)" }
}
