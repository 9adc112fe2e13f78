// The lines of a baseline, each without its newline: the header, the writers, then the entries.

/// Does not name its store: baselines of equal vectors and models have equal bytes, except for totals of zero.
package struct BaselineHeader: Hashable, Sendable {
    package var model: String?
    /// A store with another model may defer other writes.
    package var modelHash: String
    package var rules: BaselineRules
    package var writerCount: Int

    package init(model: String?, modelHash: String, rules: BaselineRules = BaselineRules(), writerCount: Int) {
        self.model = model
        self.modelHash = modelHash
        self.rules = rules
        self.writerCount = writerCount
    }

    package var line: String {
        JSONValue.members([
            "tributary": .integer(1), "baseline": .integer(1), "model": model.map(JSONValue.string),
            "modelHash": .string(modelHash), "rules": rules.json, "writers": .count(writerCount),
        ]).text
    }
}

/// The merge rules of the store that wrote a baseline, as text: by root entity, entity and property.
package struct BaselineRules: Hashable, Sendable {
    package typealias Entities = [String: [String: String]]

    package var roots: [String: Entities]

    package init(_ roots: [String: Entities] = [:]) { self.roots = roots }

    package init?(_ json: JSONValue) {
        func members<T>(_ json: JSONValue, _ read: (JSONValue) -> T?) -> [String: T]? {
            guard case .object(let members) = json else { return nil }
            var found: [String: T] = [:]
            for member in members {
                guard let value = read(member.value) else { return nil }
                found[member.key] = value
            }
            return found
        }
        func text(_ json: JSONValue) -> String? { if case .string(let text) = json { text } else { nil } }
        guard let roots = members(json, { members($0) { members($0, text) } }) else { return nil }
        self.roots = roots
    }

    package var json: JSONValue {
        func object<T>(_ members: [String: T], _ json: (T) -> JSONValue) -> JSONValue {
            .object(
                members.sorted { $0.key.precedesByBytes($1.key) }.map { JSONMember(key: $0.key, value: json($0.value)) }
            )
        }
        return object(roots) { object($0) { object($0, JSONValue.string) } }
    }

    package mutating func add(_ other: BaselineRules) {
        for (root, entities) in other.roots {
            for (entity, rules) in entities {
                roots[root, default: [:]][entity, default: [:]].merge(rules) { own, _ in own }
            }
        }
    }
}

/// A writer in a baseline; its name is left out, because stores with equal vectors may know different names.
package struct BaselineWriter: Hashable, Sendable {
    package var id: UniqueID
    package var incarnation: Incarnation
    package var sequence: UInt64
    package var clock: HybridClock
    package var seen: [UniqueID: UInt64]

    package init(
        id: UniqueID,
        incarnation: Incarnation = Incarnation(),
        sequence: UInt64,
        clock: HybridClock,
        seen: [UniqueID: UInt64]
    ) {
        self.id = id
        self.incarnation = incarnation
        self.sequence = sequence
        self.clock = clock
        self.seen = seen
    }

    package var line: String {
        let entries = seen.sorted { $0.key < $1.key }.map {
            JSONMember(key: $0.key.description, value: .count($0.value))
        }
        return JSONValue.members([
            "writer": .string(id.description), "store": incarnation.storeJSON, "after": incarnation.afterJSON,
            "sequence": .count(sequence), "clock": .string(clock.description),
            "seen": seen.isEmpty ? nil : .object(entries),
        ]).text
    }
}

package enum BaselineEntry: Hashable, Sendable {
    case transaction(BaselineTransaction)
    case change(Change)
    /// A line that the baseline's writer did not understand, or a later line of the transaction for the same objects.
    case kept(Change)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}

extension BaselineEntry {
    package var change: Change? {
        switch self {
        case .change(let change), .kept(let change): change
        case .transaction, .bound, .counter: nil
        }
    }

    package var lineBytes: [UInt8] {
        switch self {
        case .change(let change), .kept(let change): change.line
        case .transaction(let transaction): Array((transaction.line + "\n").utf8)
        case .bound(let bound): Array((bound.line + "\n").utf8)
        case .counter(let counter): Array((counter.line + "\n").utf8)
        }
    }
}

/// The line of a transaction in a baseline; only its changes that still have an effect follow.
package struct BaselineTransaction: Hashable, Sendable {
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    package var changeCount: Int
    /// The last changes are lines in the order of their transaction; their number is `keptCount`.
    package var keptCount: Int

    package init(writer: UniqueID, sequence: UInt64, clock: HybridClock, changeCount: Int, keptCount: Int = 0) {
        self.writer = writer
        self.sequence = sequence
        self.clock = clock
        self.changeCount = changeCount
        self.keptCount = keptCount
    }

    package var version: Version { Version(clock: clock, writer: writer) }

    package var line: String {
        JSONValue.members([
            "transaction": .count(sequence), "writer": .string(writer.description),
            "clock": .string(clock.description), "changes": .count(changeCount),
            "kept": keptCount == 0 ? nil : .count(keptCount),
        ]).text
    }
}

package struct BaselineBound: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var write: PropertyWrite

    package init(entity: String, id: UniqueID, write: PropertyWrite) {
        self.entity = entity
        self.id = id
        self.write = write
    }

    package var line: String {
        JSONValue.members([
            "bound": .string(entity), "id": .string(id.description), "values": .members([write.name: write.value]),
        ]).text
    }
}

package struct BaselineCounter: Hashable, Sendable {
    package var entity: String
    package var id: UniqueID
    package var property: String
    package var totals: [UniqueID: JSONValue]

    package init(entity: String, id: UniqueID, property: String, totals: [UniqueID: JSONValue]) {
        self.entity = entity
        self.id = id
        self.property = property
        self.totals = totals
    }

    package var line: String {
        let sums = totals.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key.description, value: $0.value) }
        return JSONValue.members([
            "counter": .string(entity), "id": .string(id.description), "property": .string(property),
            "totals": .object(sums),
        ]).text
    }
}

package struct BaselineCounts: Sendable, Hashable {
    package var writers = 0
    package var transactions = 0
    package var changes = 0

    package init() {}
}
