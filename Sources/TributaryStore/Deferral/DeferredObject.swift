import TributaryChanges
import TributaryModel

/// The merge state of one object, limited to the part that the model cannot represent.
struct DeferredObject {
    typealias Write = Register<DeferredVersion, JSONValue>
    typealias PairWrite = Register<DeferredVersion, PairValue>

    /// Whether a pair is linked, and its position; a missing position equals an empty one.
    struct PairValue: Hashable {
        var isLinked: Bool
        var position: String
    }

    /// The total of one writer: a sum, or an amount that is not a number.
    enum Total {
        case sum(PropertyValue)
        case other(JSONValue)

        var json: JSONValue {
            switch self {
            case .sum(let value): value.json
            case .other(let json): json
            }
        }

        /// The total as text in canonical form.
        var text: String {
            switch self {
            case .sum(let value): value.json.deferredForm
            case .other(let json): json.deferredForm
            }
        }
    }

    struct Pair: Hashable {
        var property: String
        var target: UniqueID
    }

    /// The entity's name; the root entity's name in a hierarchy.
    var entity: String
    var id: UniqueID
    var inserted: DeferredVersion?
    /// The entity that the greatest insertion names.
    var insertedEntity: String?
    var deleted: DeferredVersion?
    /// For each property, the value with the greatest version.
    private(set) var values: [String: Write] = [:]
    /// For each property, its greatest or least value; no deletion supersedes it and its version does not matter.
    private(set) var extremes: [String: PropertyValue] = [:]
    /// The counter totals by property and by the row of the writer.
    private(set) var totals: [String: [Int64: Total]] = [:]
    /// Links and unlinks.
    private(set) var pairs: [Pair: PairWrite] = [:]
    /// For each property, the entity that its winning write names; of several the first one by name.
    private(set) var names: [String: String] = [:]

    init(entity: String, id: UniqueID) {
        self.entity = entity
        self.id = id
    }

    /// Merges a value under the rule `latest`.
    mutating func merge(_ write: Write, into property: String, by order: DeferredVersionOrder) throws {
        values[property] = try DeferredObject.greater(values[property], write, by: order)
    }

    /// Merges a value under the rule `max` or `min`.
    mutating func merge(extreme value: PropertyValue, into property: String, rule: MergeRule) {
        if let known = extremes[property], !value.replaces(known, under: rule) { return }
        extremes[property] = value
    }

    /// Adds an increment to the total of a writer; an amount that is not a number replaces the total.
    mutating func add(_ amount: JSONValue, to property: String, by writer: Int64) {
        guard let number = CounterTotals.number(amount) else {
            totals[property, default: [:]][writer] = .other(amount)
            return
        }
        var before: PropertyValue?
        if case .sum(let sum)? = totals[property]?[writer] { before = sum }
        totals[property, default: [:]][writer] = .sum(CounterTotals.sum(before, number))
    }

    /// Merges a link or unlink.
    mutating func merge(_ write: PairWrite, into pair: Pair, by order: DeferredVersionOrder) throws {
        pairs[pair] = try DeferredObject.greater(pairs[pair], write, by: order)
    }

    /// Records the entity that a write of the property names; `isWinning` when no other write of it counts any more.
    mutating func name(_ property: String, by entity: String, isWinning: Bool = false) {
        if !isWinning, let known = names[property], !entity.precedesByBytes(known) { return }
        names[property] = entity
    }

    /// Returns the write with the greater version; the second write when the versions are equal.
    private static func greater<Value>(
        _ known: Register<DeferredVersion, Value>?,
        _ write: Register<DeferredVersion, Value>,
        by order: DeferredVersionOrder
    ) throws -> Register<DeferredVersion, Value> {
        guard let known else { return write }
        return try order.isOlder(write.version, than: known.version) ? known : write
    }
}
