import TributaryChanges
import TributaryModel

/// What is parked of one object, with of each value what counts.
struct ParkedObject {
    struct Write {
        /// The transaction that wrote it.
        var number: Int64
        /// The place in the transaction.
        var order: [Int64]
        var value: String
    }

    struct Pair: Hashable {
        var property: String
        var target: UniqueID
    }

    /// The name of its entity, of a hierarchy that of the root.
    var entity: String
    var id: UniqueID
    var inserted: Write?
    var deleted: Write?
    var values: [String: Write] = [:]
    /// Greatest and least values: when they were written does not matter, and deletions do not make them void.
    var extremes: [String: PropertyValue] = [:]
    /// By property and writer.
    var counts: [String: [Int64: JSONValue]] = [:]
    var pairs: [Pair: Write] = [:]

    mutating func add(extreme value: PropertyValue, to property: String, rule: MergeRule) {
        if let known = extremes[property], !value.beats(known, rule: rule) { return }
        extremes[property] = value
    }

    mutating func add(count amount: JSONValue, to property: String, by writer: Int64) {
        let sum = counts[property]?[writer]
        counts[property, default: [:]][writer] = sum.map { ParkedObject.sum($0, amount) } ?? amount
    }

    private static func sum(_ left: JSONValue, _ right: JSONValue) -> JSONValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): .integer(left &+ right)
        case (.integer(let left), .double(let right)): .double(Double(left) + right)
        case (.double(let left), .integer(let right)): .double(left + Double(right))
        case (.double(let left), .double(let right)): .double(left + right)
        default: right
        }
    }
}
