import TributaryChanges

/// What a context has changed about to-many relationships and derived one-to-ones, as differences to the store.
///
/// For a relationship that is derived from registers it follows from changed registers; for one that is stored as pairs
/// it is the change itself.
struct RelationshipLedger: Sendable {
    /// One relationship of one object.
    struct Key: Hashable, Sendable {
        var rootIndex: Int
        var id: UniqueID
        var slot: Int
    }

    /// One relationship of whatever object.
    struct Place: Hashable, Sendable {
        var rootIndex: Int
        var slot: Int
    }

    struct Difference: Sendable {
        /// The added objects with the order in which they were added.
        fileprivate(set) var added: [ManagedObjectID: Int] = [:]
        fileprivate(set) var removed: Set<ManagedObjectID> = []

        /// In the order in which they were added.
        var addedInOrder: [ManagedObjectID] { added.sorted { $0.value < $1.value }.map(\.key) }

        fileprivate var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        /// What is there after the difference: what stays in its place, then what was added.
        func applied(to ids: [ManagedObjectID]) -> [ManagedObjectID] {
            ids.filter { !removed.contains($0) && added[$0] == nil } + addedInOrder
        }

        /// This difference and a later one as one.
        ///
        /// The later one has the last word, whatever is under both by now: others may have linked what this one has
        /// linked and the later one has taken out again.
        func adding(_ later: Difference) -> Difference {
            var sum = self
            for id in later.removed {
                sum.added[id] = nil
                sum.removed.insert(id)
            }
            let last = sum.added.values.max() ?? 0
            for (index, id) in later.addedInOrder.enumerated() {
                sum.removed.remove(id)
                sum.added[id] = last + index + 1
            }
            return sum
        }
    }

    private(set) var differences: [Key: Difference] = [:]
    /// Orders that the context has given to ordered relationships.
    private(set) var arrangements: [Key: Arrangement] = [:]
    private var ordinal = 0

    var isEmpty: Bool { differences.isEmpty && arrangements.isEmpty }

    /// Relationships to which objects were added, or that were given an order.
    var orderedKeys: Set<Key> {
        Set(arrangements.keys).union(differences.lazy.filter { !$0.value.added.isEmpty }.map(\.key))
    }

    /// Relationships of which some object's has changed.
    var changedPlaces: Set<Place> {
        Set(differences.keys.map { Place(rootIndex: $0.rootIndex, slot: $0.slot) })
    }

    mutating func arrange(_ ids: [ManagedObjectID], _ key: Key) {
        arrangements[key] = Arrangement(ids)
    }

    subscript(key: Key) -> Difference? { differences[key] }

    /// An object that was taken out before is back; any other is new, and so is one that is not under the difference any
    /// more.
    mutating func add(_ id: ManagedObjectID, to key: Key, isStored: Bool = true) {
        ordinal += 1
        var difference = differences[key] ?? Difference()
        if difference.removed.remove(id) == nil || !isStored { difference.added[id] = ordinal }
        differences[key] = difference.isEmpty ? nil : difference
        arrangements[key]?.append(id)
    }

    /// An object that was added before leaves no trace, unless it is under the difference by now.
    mutating func remove(_ id: ManagedObjectID, from key: Key, isStored: Bool = false) {
        var difference = differences[key] ?? Difference()
        if difference.added.removeValue(forKey: id) == nil || isStored { difference.removed.insert(id) }
        differences[key] = difference.isEmpty ? nil : difference
    }

    /// Adds the differences of another ledger, which come after these.
    mutating func add(_ later: RelationshipLedger) {
        for (key, difference) in later.differences {
            let sum = differences[key]?.adding(difference) ?? difference
            differences[key] = sum.isEmpty ? nil : sum
        }
        for (key, difference) in later.differences {
            for id in difference.addedInOrder { arrangements[key]?.append(id) }
        }
        arrangements.merge(later.arrangements) { $1 }
        ordinal = max(ordinal, later.ordinal)
    }

    /// Forgets a relationship of one object.
    mutating func forget(_ key: Key) {
        differences[key] = nil
        arrangements[key] = nil
    }

    mutating func removeAll() {
        differences = [:]
        arrangements = [:]
        ordinal = 0
    }
}
