import TributaryChanges

/// What a context has changed about to-many relationships and derived one-to-ones, as differences to the store.
///
/// For a relationship that is derived from registers it follows from changed registers; for one that is stored as pairs
/// it is the change itself.
struct RelationshipLedger {
    /// One relationship of one object.
    struct Key: Hashable {
        var rootIndex: Int
        var id: UniqueID
        var slot: Int
    }

    struct Difference {
        /// The added objects with the order in which they were added.
        fileprivate(set) var added: [ManagedObjectID: Int] = [:]
        fileprivate(set) var removed: Set<ManagedObjectID> = []

        /// In the order in which they were added.
        var addedInOrder: [ManagedObjectID] { added.sorted { $0.value < $1.value }.map(\.key) }

        fileprivate var isEmpty: Bool { added.isEmpty && removed.isEmpty }
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

    mutating func arrange(_ ids: [ManagedObjectID], _ key: Key) {
        arrangements[key] = Arrangement(ids)
    }

    subscript(key: Key) -> Difference? { differences[key] }

    /// An object that was taken out before is back; any other is new.
    mutating func add(_ id: ManagedObjectID, to key: Key) {
        ordinal += 1
        var difference = differences[key] ?? Difference()
        if difference.removed.remove(id) == nil { difference.added[id] = ordinal }
        differences[key] = difference.isEmpty ? nil : difference
        arrangements[key]?.append(id)
    }

    /// An object that was added before leaves no trace.
    mutating func remove(_ id: ManagedObjectID, from key: Key) {
        var difference = differences[key] ?? Difference()
        if difference.added.removeValue(forKey: id) == nil { difference.removed.insert(id) }
        differences[key] = difference.isEmpty ? nil : difference
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
