import TributaryChanges

/// A piece of SQL with the values of its parameters, in their order.
struct SQLFragment {
    var text: String
    var arguments: [PropertyValue] = []

    init(_ text: String, _ arguments: [PropertyValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.text + right.text, left.arguments + right.arguments)
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment { SQLFragment(left.text + right, left.arguments) }

    static func + (left: String, right: SQLFragment) -> SQLFragment { SQLFragment(left + right.text, right.arguments) }

    /// The terms with AND or OR between them, as a tree of little depth: SQLite allows a depth of 1,000.
    static func joined(_ terms: [SQLFragment], by word: String) -> SQLFragment {
        guard terms.count > 1 else { return terms.first ?? SQLFragment(word == "AND" ? "1" : "0") }
        let middle = terms.count / 2
        let left = joined(Array(terms[..<middle]), by: word)
        let right = joined(Array(terms[middle...]), by: word)
        return "(" + left + " \(word) " + right + ")"
    }
}
