import TributaryChanges

/// A piece of SQL with the values of its parameters, in their order.
struct SQLFragment {
    var text: String
    var arguments: [PropertyValue] = []
    /// The approximate number of entries that the deepest point of the text takes on SQLite's parser stack of 100
    /// entries.
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

    /// The fragment as a part of an expression that adds the given weight.
    func within(_ weight: Int) -> SQLFragment {
        var result = self
        result.weight += weight
        return result
    }
}
