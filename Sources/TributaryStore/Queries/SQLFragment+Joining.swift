extension SQLFragment {
    /// Terms side by side, without parentheses between them.
    private static let width = 16
    /// Terms up to this weight may stand anywhere.
    private static let lightWeight = 20

    /// The terms with AND or OR between them.
    ///
    /// SQLite allows a tree of a depth of 1,000 and remembers 100 things while it reads, of which a term costs one when it
    /// comes first and three further on. So many terms become a tree of little depth, and the term that nests deepest
    /// comes first.
    static func joined(_ terms: [SQLFragment], by word: String) -> SQLFragment {
        guard let heaviest = terms.indices.max(by: { terms[$0].weight < terms[$1].weight }), terms.count > 1,
            terms[heaviest].weight > lightWeight
        else { return flat(terms[...], by: word) }
        var rest = terms
        let first = rest.remove(at: heaviest)
        let others = flat(rest[...], by: word)
        var result = "(" + first + " \(word) " + others + ")"
        result.weight = max(first.weight + 1, others.weight + 3)
        return result
    }

    private static func flat(_ terms: ArraySlice<SQLFragment>, by word: String) -> SQLFragment {
        guard terms.count > 1 else { return terms.first ?? SQLFragment(word == "AND" ? "1" : "0") }
        var parts = Array(terms)
        if terms.count > width {
            let size = (terms.count + width - 1) / width
            parts = stride(from: terms.startIndex, to: terms.endIndex, by: size).map { start in
                flat(terms[start..<min(start + size, terms.endIndex)], by: word)
            }
        }
        let text = parts.map(\.text).joined(separator: " \(word) ")
        var result = SQLFragment("(\(text))", parts.flatMap(\.arguments))
        result.weight = 3 + (parts.map(\.weight).max() ?? 0)
        return result
    }
}
