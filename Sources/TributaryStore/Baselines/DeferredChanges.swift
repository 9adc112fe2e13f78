import TributaryChanges
import TributaryModel

/// The deferred writes of one object as the parts of a baseline: one change for all writes of one version.
///
/// The form is the same for stores that had the property in a former model and for stores that never had it. A text
/// that a former model calls the target of a relationship becomes a UUID in lower case; every other value keeps its
/// type and its digits, and the members of objects are in order. The form of digests does not fit here: it is the same
/// for values of several types, and a later model needs the type.
struct DeferredChanges {
    /// The changes with the numbers of their versions, in no particular order; changes with a place come after the
    /// others of their transaction, in the order of their places.
    private(set) var changes: [(change: Change, number: Int64, place: DeferredObject.Place?)] = []
    private(set) var bounds: [BaselineBound] = []
    private(set) var counters: [BaselineCounter] = []

    private struct Values: Hashable {
        var number: Int64
        var entity: String
        var place: DeferredObject.Place?
        var isInsert = false
    }

    private struct Pairs: Hashable {
        var number: Int64
        var property: String
        var isRemoved: Bool
        var place: DeferredObject.Place?
    }

    init(_ object: DeferredObject, _ layout: StoreModel, by versions: VersionCache) throws {
        var values: [Values: [PropertyWrite]] = [:]
        for (name, register) in object.state.registers.registers {
            let (value, entity) = (register.value.json, register.value.entity)
            guard name.rule.comparesVersions else {
                let write = PropertyWrite(name: name.property, value: value)
                bounds.append(BaselineBound(entity: entity, id: object.id, write: write))
                continue
            }
            let former = layout.formerProperty(named: name.property, of: entity)
            let canonical = former?.relationship == nil ? value.inKeyOrder : value.withPlainID
            let write = PropertyWrite(name: name.property, value: canonical)
            values[Values(number: register.version, entity: entity), default: []].append(write)
        }
        for kept in object.kept {
            guard let version = kept.version else {
                bounds.append(BaselineBound(entity: kept.entity, id: object.id, write: kept.write))
                continue
            }
            let key = Values(number: version, entity: kept.entity, place: kept.place, isInsert: kept.isInsert)
            values[key, default: []].append(kept.write)
        }
        func append(_ operation: Change.Operation, of entity: String, _ number: Int64, _ place: DeferredObject.Place?) {
            changes.append((Change(entity: entity, id: object.id, operation: operation), number, place))
        }
        if let deletion = object.deletion { append(.delete, of: object.entity, deletion, nil) }
        if let inserted = object.state.inserted, let entity = object.state.entity, try object.state.isLive(by: versions)
        {
            let writes = values.removeValue(forKey: Values(number: inserted, entity: entity)) ?? []
            append(.insert(writes), of: entity, inserted, nil)
        }
        for (key, writes) in values {
            // A value of the transaction that fits, and so is among those of the rows, may not replace these.
            let place = key.place ?? .first
            append(key.isInsert ? .insert(writes) : .update(writes), of: key.entity, key.number, place)
        }
        appendPairs(of: object)
        appendCounters(of: object)
    }

    private mutating func appendPairs(of object: DeferredObject) {
        var pairs: [Pairs: [UniqueID: String]] = [:]
        for (pair, state) in object.pairs {
            let link = state.link
            let key = Pairs(
                number: link.version,
                property: pair.property,
                isRemoved: link.isRemoved,
                place: state.place
            )
            pairs[key, default: [:]][pair.target] = link.position ?? ""
        }
        for (key, targets) in pairs {
            let sorted = targets.sorted { $0.key < $1.key }
            let ids = sorted.map(\.key)
            // A missing position equals an empty one.
            let positions = sorted.allSatisfy(\.value.isEmpty) ? nil : sorted.map(\.value)
            let operation: Change.Operation =
                key.isRemoved
                ? .unlink(to: key.property, ids: ids) : .link(to: key.property, ids: ids, positions: positions)
            let entity = object.owners[key.property] ?? object.entity
            changes.append((Change(entity: entity, id: object.id, operation: operation), key.number, key.place))
        }
    }

    private mutating func appendCounters(of object: DeferredObject) {
        for (property, totals) in object.totals {
            for (writer, total) in totals {
                for (part, sum) in total.parts {
                    let sums = [writer: sum.inKeyOrder]
                    counters.append(
                        BaselineCounter(entity: part.entity, id: object.id, property: property, totals: sums)
                    )
                }
            }
        }
    }
}

extension JSONValue {
    var inKeyOrder: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.inKeyOrder))
        case .object(let members):
            .object(
                members.sorted { $0.key.precedesByBytes($1.key) }
                    .map { JSONMember(key: $0.key, value: $0.value.inKeyOrder) }
            )
        case .integer, .double, .number, .string, .boolean, .null, .unrepresentable: self
        }
    }

    /// The target of a relationship, as a UUID in lower case.
    fileprivate var withPlainID: JSONValue {
        guard case .string(let text) = self, let id = UniqueID(text) else { return inKeyOrder }
        return .string(id.description)
    }
}
