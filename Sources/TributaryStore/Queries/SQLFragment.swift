import TributaryChanges
import TributaryModel

struct SQLFragment {
    var text: String
    var arguments: [PropertyValue] = []
    /// An estimate of the entries in SQLite's parser stack (100) that the text needs.
    var weight = 1

    init(_ text: String, _ arguments: [PropertyValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        var result = SQLFragment(left.text + right.text, left.arguments + right.arguments)
        result.weight = max(left.weight, right.weight)
        return result
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment { left + SQLFragment(right) }

    static func + (left: String, right: SQLFragment) -> SQLFragment { SQLFragment(left) + right }

    func ordered(as kind: ValueKind) -> SQLFragment {
        kind == .decimal ? self + " COLLATE \(StringFunctions.decimalOrder)" : self
    }

    func within(_ weight: Int) -> SQLFragment {
        var result = self
        result.weight += weight
        return result
    }
}

extension SQLFragment {
    private static let width = 16
    private static let lightWeight = 20

    /// SQLite allows an expression depth of 1,000.
    ///
    /// The heaviest term comes first, because it takes one entry of the parser stack there, and three entries later.
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
