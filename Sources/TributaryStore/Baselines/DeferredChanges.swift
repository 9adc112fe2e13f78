import TributaryChanges

/// The deferred writes of one object as changes: one change for all writes of one version.
///
/// The form is the same for stores that had the property in a former model and for stores that never had it.
struct DeferredChanges {
    /// The entity's name; the root entity's name in a hierarchy.
    let entity: String
    let id: UniqueID
    private var deletion: Int64?
    private var insertion: (number: Int64, entity: String)?
    private var values: [Values: [PropertyWrite]] = [:]
    private var pairs: [Pairs: [UniqueID: String]] = [:]
    private var kept: [Kept: [PropertyWrite]] = [:]
    private(set) var bounds: [BaselineBound] = []
    private(set) var counters: [BaselineCounter] = []
    /// The values of inserts that a counter would count.
    private(set) var amounts: [DeferredObject.Kept] = []

    private struct Values: Hashable {
        var number: Int64
        var entity: String
    }

    private struct Kept: Hashable {
        var values: Values
        var isInsert: Bool
        var place: DeferredObject.Place
    }

    private struct Pairs: Hashable {
        var number: Int64
        var entity: String
        var property: String
        var isLinked: Bool
        var place: DeferredObject.Place?
    }

    init(entity: String = "", id: UniqueID = Version.none.writer) {
        self.entity = entity
        self.id = id
    }

    mutating func add(_ write: DeferredSurvivor, _ forms: DeferredForms) {
        switch write.kind {
        case .deleted(let version): deletion = version
        case .inserted(let version, let entity): insertion = (version, entity)
        case .value(let property, let value, let version):
            let key = Values(number: version, entity: write.named)
            let value = forms.canonical(value, property, of: write.named)
            values[key, default: []].append(PropertyWrite(name: property, value: value))
        case .pair(let property, let target, let value, let version):
            let key = Pairs(
                number: version,
                entity: write.named,
                property: property,
                isLinked: value.isLinked,
                place: value.place
            )
            pairs[key, default: [:]][target] = value.position
        case .kept(let write, _):
            guard let version = write.version else {
                return bounds.append(BaselineBound(entity: write.entity, id: id, write: write.write))
            }
            if write.amount != nil { amounts.append(write) }
            let values = Values(number: version, entity: write.entity)
            kept[Kept(values: values, isInsert: write.isInsert, place: write.place), default: []].append(write.write)
        case .extreme(let property, let value):
            let value = PropertyWrite(name: property, value: value.json)
            bounds.append(BaselineBound(entity: write.named, id: id, write: value))
        case .total(let property, let total, let writer):
            guard let writer = UniqueID(writer) else { return }
            for (part, sum) in total.parts {
                let totals = [writer: sum.inKeyOrder]
                counters.append(BaselineCounter(entity: part.entity, id: id, property: property, totals: totals))
            }
        }
    }

    /// The changes with the numbers of their versions, in no particular order; those with a place come after the others of
    /// their transaction, in the order of their places.
    var changes: [(change: Change, number: Int64, place: DeferredObject.Place?)] {
        var found: [(Change, Int64, DeferredObject.Place?)] = []
        var values = values
        if let deletion { found.append((Change(entity: entity, id: id, operation: .delete), deletion, nil)) }
        if let insertion {
            let key = Values(number: insertion.number, entity: insertion.entity)
            let writes = values.removeValue(forKey: key) ?? []
            found.append((Change(entity: insertion.entity, id: id, operation: .insert(writes)), insertion.number, nil))
        }
        for (key, writes) in values {
            found.append((Change(entity: key.entity, id: id, operation: .update(writes)), key.number, nil))
        }
        for (key, writes) in kept {
            let operation: Change.Operation = key.isInsert ? .insert(writes) : .update(writes)
            found.append(
                (Change(entity: key.values.entity, id: id, operation: operation), key.values.number, key.place)
            )
        }
        for (key, targets) in pairs {
            let sorted = targets.sorted { $0.key < $1.key }
            let ids = sorted.map(\.key)
            // A missing position equals an empty one.
            let positions = sorted.allSatisfy(\.value.isEmpty) ? nil : sorted.map(\.value)
            let operation: Change.Operation =
                key.isLinked
                ? .link(to: key.property, ids: ids, positions: positions)
                : .unlink(to: key.property, ids: ids)
            found.append((Change(entity: key.entity, id: id, operation: operation), key.number, key.place))
        }
        return found
    }
}
