import TributaryChanges
import TributaryModel

/// The merge state of one object's deferred writes that have a merge rule in some version of the model.
///
/// Writes without a rule are ``KeptLines``; only their amounts are here, because a writer's total includes them.
struct DeferredObject {
    struct Pair: Hashable {
        var property: String
        var target: UniqueID
    }

    struct Amount {
        var entity: String
        var property: String
        var value: JSONValue
        var version: Int64
        var writer: UniqueID
        var number: PropertyValue
    }

    struct Bound {
        var entity: String
        var write: PropertyWrite
    }

    let entity: String
    let id: UniqueID
    private var state = ObjectMergeState<DeferredRegisters, String>(registers: DeferredRegisters())
    private(set) var insert: (version: Int64, entity: String)?
    var registers: [DeferredRegisters.Name: DeferredRegisters.Register] { state.registers.registers }
    private(set) var deletion: Int64?
    private(set) var totals: [String: [UniqueID: DeferredTotal]] = [:]
    private(set) var pairs: [Pair: LinkState<Int64>] = [:]
    var amounts: [Amount] = []
    var bounds: [Bound] = []
    /// The entity that the writes of each to-many relationship name; the first by name if they name several.
    private(set) var owners: [String: String] = [:]
    private var version: Int64 = 0

    init(entity: String, id: UniqueID) {
        (self.entity, self.id) = (entity, id)
    }

    /// Call this for the transactions in the order of their versions.
    mutating func begin(_ version: Int64) { self.version = version }

    /// Call this last, because deletions in the store also supersede deferred writes and pairs.
    mutating func end(
        deletedAt stored: Int64?,
        by versions: VersionCache,
        targetDeletion: (UniqueID) throws -> Int64?
    ) throws {
        if let stored { _ = try state.delete(at: stored, by: versions, rule: \.rule) }
        if let inserted = state.inserted, let entity = state.entity, !entity.isEmpty, try state.isLive(by: versions) {
            insert = (inserted, entity)
        }
        pairs = try pairs.filter { pair, link in
            try !versions.isSuperseded(link.version, by: state.deleted)
                && !versions.isSuperseded(link.version, by: targetDeletion(pair.target))
        }
    }

    mutating func delete(by versions: VersionCache) throws {
        deletion = try versions.later(deletion, version)
        _ = try state.delete(at: version, by: versions, rule: \.rule)
    }

    /// The name is empty for an insert that has taken effect, because the stored object has its entity.
    mutating func insert(as entity: String, by versions: VersionCache) throws {
        _ = try state.insert(at: version, entity: entity, by: versions)
    }

    mutating func write(_ value: JSONValue, to property: String, of entity: String, by versions: VersionCache) throws {
        let value = DeferredRegisters.Value(json: value, entity: entity)
        let register = DeferredRegisters.Register(version: version, value: value)
        _ = try state.write(register, to: .init(property: property, rule: .latest), by: .latest, versions)
    }

    /// Compares the values, not the versions.
    mutating func write(
        bound: PropertyValue,
        to property: String,
        of entity: String,
        rule: MergeRule,
        by versions: VersionCache
    ) throws {
        let name = DeferredRegisters.Name(property: property, rule: rule)
        // The first of all named entities by name is used, whichever write has the winning value.
        let known = state.registers.registers[name]?.value.entity
        let named = known.map { $0.precedesByBytes(entity) ? $0 : entity } ?? entity
        let value = DeferredRegisters.Value(json: bound.json, bound: bound, entity: named)
        let register = DeferredRegisters.Register(version: version, value: value)
        if try !state.write(register, to: name, by: rule, versions) { state.registers.rename(name, to: named) }
    }

    mutating func add(
        _ amount: JSONValue,
        to property: String,
        of entity: String,
        by writer: UniqueID,
        hasRule: Bool = true
    ) {
        totals[property, default: [:]][writer, default: DeferredTotal()].add(amount, of: entity)
        if !hasRule { totals[property]?[writer]?.hasRule = false }
    }

    /// Adds the values of inserts to the totals in `counting`: the writers that have incremented each property.
    mutating func completeTotals(_ counting: [String: Set<UniqueID>]) {
        for amount in amounts where counting[amount.property]?.contains(amount.writer) == true {
            add(amount.value, to: amount.property, of: amount.entity, by: amount.writer, hasRule: false)
        }
    }

    var uncountedAmounts: [Amount] { amounts.filter { totals[$0.property]?[$0.writer] == nil } }

    mutating func link(
        _ pair: Pair,
        _ isLinked: Bool,
        at position: String,
        of entity: String,
        by versions: VersionCache
    ) throws {
        if owners[pair.property].map({ entity.precedesByBytes($0) }) ?? true { owners[pair.property] = entity }
        let link = LinkState(version: version, isRemoved: !isLinked, position: position)
        if try LinkState.accepts(link, over: pairs[pair], after: nil, and: nil, by: versions) { pairs[pair] = link }
    }
}

struct DeferredRegisters: RegisterSet {
    typealias Register = TributaryChanges.Register<Int64, Value>

    struct Name: Hashable {
        var property: String
        var rule: MergeRule
    }

    struct Value: MergeValue {
        var json: JSONValue
        var bound: PropertyValue = .null
        var entity: String

        func replaces(_ other: Value, under rule: MergeRule) -> Bool { bound.replaces(other.bound, under: rule) }
    }

    private(set) var registers: [Name: Register] = [:]

    func version(of name: Name) -> Int64? { registers[name]?.version }

    func value(of name: Name) -> Value { registers[name]?.value ?? Value(json: .null, entity: "") }

    mutating func set(_ register: Register?, of name: Name) { registers[name] = register }

    mutating func remove(_ isSuperseded: (Name, Int64) throws -> Bool) rethrows {
        registers = try registers.filter { try !isSuperseded($0.key, $0.value.version) }
    }

    mutating func rename(_ name: Name, to entity: String) { registers[name]?.value.entity = entity }
}

/// A part has the increments of one writer that every model adds up together.
struct DeferredTotal {
    struct Part: Hashable {
        var entity: String
        var kind: CounterTotals.Kind
    }

    private(set) var parts: [Part: JSONValue] = [:]
    var hasRule = true

    mutating func add(_ amount: JSONValue, of entity: String) {
        let part = Part(entity: entity, kind: CounterTotals.kind(amount))
        parts[part] = CounterTotals.total(parts[part], adding: amount)
    }

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

extension CounterTotals {
    static func total(_ total: JSONValue?, adding amount: JSONValue) -> JSONValue {
        guard let number = number(amount) else { return amount }
        return sum(total.flatMap(CounterTotals.number), number).json
    }
}

extension JSONValue {
    /// One canonical text for all spellings of a value, so that digests do not depend on the spelling.
    ///
    /// Stores with the same transactions may defer one value as `"43"`, `43` or `43.0`, depending on their older models.
    var deferredForm: String {
        switch self {
        case .integer(let value): return String(value)
        case .double(let value): return DecimalText.canonical(value.description) ?? value.description
        case .number(let text): return DecimalText.canonical(text) ?? text
        case .string(let text):
            if let number = DecimalText.canonical(text) { return number }
            return JSONValue.string(UniqueID(text)?.description ?? text).text
        case .array(let values): return "[" + values.map(\.deferredForm).joined(separator: ",") + "]"
        case .object(let members):
            let texts =
                members.filter { $0.value != .null }
                .sorted { $0.key.precedesByBytes($1.key) }
                .map { "\(JSONValue.string($0.key).text):\($0.value.deferredForm)" }
            return "{" + texts.joined(separator: ",") + "}"
        case .unrepresentable(let text):
            return Double(text).flatMap { $0.isFinite ? JSONValue.double($0).deferredForm : nil } ?? text
        case .null, .boolean: return text
        }
    }
}
