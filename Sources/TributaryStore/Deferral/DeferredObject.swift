import TributaryChanges
import TributaryModel

/// The merge state of one object, limited to the part that the model cannot represent.
struct DeferredObject {
    typealias Write = Register<Int64, JSONValue>
    typealias PairWrite = Register<Int64, PairValue>

    /// Whether a pair is linked, and its position; a missing position equals an empty one.
    struct PairValue {
        var isLinked: Bool
        var position: String
        /// The place of the write in its transaction; nil for a relationship of which the rule is known.
        var place: Place?
    }

    /// Where a transaction has a write: a number that grows with the changes, and with the values of a change.
    struct Place: Hashable {
        var position: Int64
        var part: Int64
    }

    /// The increments of one writer to a property.
    ///
    /// Those that one model counts and another one does not are apart.
    struct Total {
        struct Part: Hashable {
            /// The entity that the increments name.
            var entity: String
            var kind: CounterTotals.Kind
        }

        /// The sum of each part; of amounts that are no numbers the last one.
        private(set) var parts: [Part: JSONValue] = [:]
        /// Whether a known version of the model says that the property is a counter.
        var hasRule = true

        mutating func add(_ amount: JSONValue, of entity: String) {
            let part = Part(entity: entity, kind: CounterTotals.kind(amount))
            guard let number = CounterTotals.number(amount) else { return parts[part] = amount }
            parts[part] = CounterTotals.sum(parts[part].flatMap(CounterTotals.number), number).json
        }

        /// The sum of all parts as text in canonical form; without a number the greatest amount.
        var text: String {
            var sum: PropertyValue?
            for kind in [CounterTotals.Kind.integer, .fraction] {
                for (part, value) in parts where part.kind == kind {
                    if let number = CounterTotals.number(value) { sum = CounterTotals.sum(sum, number) }
                }
            }
            if let sum { return sum.json.deferredForm }
            return parts.values.map(\.deferredForm).max { $0.precedesByBytes($1) } ?? ""
        }
    }

    struct Pair: Hashable {
        var property: String
        var target: UniqueID
        /// Of a relationship without a known rule: a link has a position, which an unlink may leave as it is.
        var isLinked: Bool?
    }

    /// A write to a property of which no known version of the model tells the merge rule.
    struct Kept {
        var entity: String
        var isInsert: Bool
        var write: PropertyWrite
        /// nil for the greatest or least value of a baseline, which belongs to no transaction.
        var version: Int64?
        var writer: Int64
        var place: Place
        /// The value of an insert that a counter counts.
        var amount: PropertyValue? { isInsert ? CounterTotals.number(write.value) : nil }
    }

    /// The entity's name; the root entity's name in a hierarchy.
    var entity: String
    var id: UniqueID
    var inserted: Int64?
    /// The entity that the greatest insertion names.
    var insertedEntity: String?
    var deleted: Int64?
    /// For each property, the value with the greatest version.
    private(set) var values: [String: DeferredContest<JSONValue>] = [:]
    /// For each property, its greatest or least value; no deletion supersedes it and its version does not matter.
    private(set) var extremes: [String: PropertyValue] = [:]
    /// The counter totals by property and by the row of the writer.
    private(set) var totals: [String: [Int64: Total]] = [:]
    private(set) var pairs: [Pair: DeferredContest<PairValue>] = [:]
    /// All writes without a rule, in the order of their transactions: each may count under the rule of a later model.
    private(set) var kept: [Kept] = []
    /// For each property, the entity that its winning write names; of several the first one by name.
    private(set) var names: [String: String] = [:]

    init(entity: String, id: UniqueID) {
        self.entity = entity
        self.id = id
    }

    mutating func merge(
        _ write: Write,
        named name: WrittenName,
        yields: Bool,
        into property: String,
        by versions: VersionCache
    ) throws {
        try values[property, default: DeferredContest()]
            .merge(write, named: name, yields: yields, by: versions)
    }

    func value(of property: String, by versions: VersionCache) throws -> Write? {
        try values[property]?.winner(by: versions)
    }

    /// The greatest insertion so far, with the entity that it names; of equal versions the greater entity stands.
    mutating func insert(at version: Int64, entity name: String, by versions: VersionCache) throws {
        if let inserted, let insertedEntity {
            if try versions.isOlder(version, than: inserted) { return }
            if version == inserted, !insertedEntity.precedesByBytes(name) { return }
        }
        (inserted, insertedEntity) = (version, name)
    }

    /// Merges a value under the rule `max` or `min`.
    mutating func merge(extreme value: PropertyValue, into property: String, rule: MergeRule) {
        if let known = extremes[property], !value.replaces(known, under: rule) { return }
        extremes[property] = value
    }

    /// Adds an increment that names `entity` to the total of a writer.
    mutating func add(
        _ amount: JSONValue,
        to property: String,
        of entity: String,
        by writer: Int64,
        hasRule: Bool = true
    ) {
        totals[property, default: [:]][writer, default: Total()].add(amount, of: entity)
        if !hasRule { totals[property]?[writer]?.hasRule = false }
    }

    mutating func keep(_ write: Kept) { kept.append(write) }

    /// Drops what a later change of the same transaction replaces.
    mutating func dropKept(_ name: String, at version: Int64) {
        for index in kept.indices.reversed() {
            guard kept[index].version == version else { return }
            if kept[index].write.name == name { kept.remove(at: index) }
        }
    }

    /// Adds the values of inserts to the totals of writers that have incremented the property as well.
    ///
    /// A counter counts them; those of other writers say their totals themselves.
    mutating func completeTotals(like others: some Sequence<DeferredObject>) {
        for write in kept where write.amount != nil {
            guard others.contains(where: { $0.totals[write.write.name]?[write.writer] != nil }) else { continue }
            add(write.write.value, to: write.write.name, of: write.entity, by: write.writer, hasRule: false)
        }
    }

    mutating func merge(
        _ write: PairWrite,
        named name: WrittenName,
        into pair: Pair,
        by versions: VersionCache
    ) throws {
        try pairs[pair, default: DeferredContest()].merge(write, named: name, by: versions)
    }

    /// Records the entity that a write of the property names; `isWinning` when no other write of it counts any more.
    mutating func name(_ property: String, by entity: String, isWinning: Bool = false) {
        if !isWinning, let known = names[property], !entity.precedesByBytes(known) { return }
        names[property] = entity
    }
}
