import TributaryChanges

/// A piece of SQL with the values of its parameters, in their order.
struct SQLFragment {
    var text: String
    var arguments: [PropertyValue] = []
    /// About how much SQLite's parser has to remember at the deepest place in the text; its stack has 100 places.
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

    /// The same with so much around it.
    func within(_ weight: Int) -> SQLFragment {
        var result = self
        result.weight += weight
        return result
    }
}
