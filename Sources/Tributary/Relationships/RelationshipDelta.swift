import TributaryChanges

/// What a context has changed about to-many relationships and derived one-to-ones, as changes to the store.
///
/// For a relationship that is derived from registers it follows from changed registers; for one that is stored as pairs
/// it is the change itself.
struct RelationshipDelta: Sendable {
    /// One relationship of one object.
    struct Key: Hashable, Sendable {
        var rootIndex: Int
        var id: UniqueID
        var slot: Int

        init(rootIndex: Int, id: UniqueID, slot: Int) {
            self.rootIndex = rootIndex
            self.id = id
            self.slot = slot
        }

        init(_ object: ManagedObject, _ slot: Int) {
            self.init(rootIndex: object.kind.rootIndex, id: object.uniqueID, slot: slot)
        }
    }

    /// One relationship of whatever object.
    struct Identity: Hashable, Sendable {
        var rootIndex: Int
        var slot: Int
    }

    struct Change: Sendable {
        /// The added objects with the order in which they were added.
        private(set) var added: [ManagedObjectID: Int] = [:]
        fileprivate(set) var removed: Set<ManagedObjectID> = []
        /// The keys of ``added`` in order, and some that were taken out since.
        private var sequence: [(id: ManagedObjectID, ordinal: Int)] = []

        /// In the order in which they were added.
        var addedInOrder: [ManagedObjectID] {
            sequence.count == added.count
                ? sequence.map(\.id) : sequence.filter { added[$0.id] == $0.ordinal }.map(\.id)
        }

        /// Adds an object after all others.
        fileprivate mutating func append(_ id: ManagedObjectID, _ ordinal: Int) {
            if sequence.count > 2 * added.count + 16 { sequence = sequence.filter { added[$0.id] == $0.ordinal } }
            added[id] = ordinal
            sequence.append((id, ordinal))
        }

        /// Takes an added object out.
        ///
        /// - Returns: Whether it was there.
        @discardableResult
        fileprivate mutating func removeAdded(_ id: ManagedObjectID) -> Bool { added.removeValue(forKey: id) != nil }

        fileprivate var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        /// What is there after the change: what stays in its place, then what was added.
        func applied(to ids: [ManagedObjectID]) -> [ManagedObjectID] {
            ids.filter { !removed.contains($0) && added[$0] == nil } + addedInOrder
        }

        /// This change and a later one as one.
        ///
        /// The later one has the last word, whatever is under both by now: others may have linked what this one has
        /// linked and the later one has taken out again.
        func adding(_ later: Change) -> Change {
            var sum = self
            for id in later.removed {
                sum.removeAdded(id)
                sum.removed.insert(id)
            }
            let last = sum.added.values.max() ?? 0
            for (index, id) in later.addedInOrder.enumerated() {
                sum.removed.remove(id)
                sum.append(id, last + index + 1)
            }
            return sum
        }
    }

    private(set) var changes: [Key: Change] = [:]
    /// Orders that the context has given to ordered relationships.
    private(set) var orderings: [Key: RelationshipOrdering] = [:]
    private var ordinal = 0
    /// Relationships of which some object's has changed since the delta was empty.
    private(set) var changedRelationships: Set<Identity> = []
    /// Grows when what lists show changes without a link or unlink: an object is deleted, or there again.
    private(set) var visibility: UInt64 = 0

    var isEmpty: Bool { changes.isEmpty && orderings.isEmpty }

    /// Relationships to which objects were added, or that were given an order.
    var orderedKeys: Set<Key> {
        Set(orderings.keys).union(changes.lazy.filter { !$0.value.added.isEmpty }.map(\.key))
    }

    /// Gives a relationship an order.
    ///
    /// - Parameters:
    ///   - ids: the objects in order.
    ///   - key: the relationship.
    ///   - version: the version of the context's lists when `ids` are all that the relationship shows.
    mutating func setOrder(_ ids: [ManagedObjectID], _ key: Key, completeAt version: UInt64? = nil) {
        orderings[key] = RelationshipOrdering(ids, completeAt: version)
    }

    /// Moves the object that was added last to an index in a relationship whose order is complete at the version.
    ///
    /// - Returns: Whether the order is known, and the object was its last.
    mutating func moveLast(_ id: ManagedObjectID, to index: Int, _ key: Key, version: UInt64) -> Bool {
        guard let known = orderings[key], known.completeAt == version, known.ids.last == id else { return false }
        orderings[key]?.moveLast(to: index)
        return true
    }

    /// An object is shown no more, or again, without a change of a relationship.
    mutating func changeVisibility() { visibility &+= 1 }

    subscript(key: Key) -> Change? { changes[key] }

    /// An object that was taken out before is back; any other is new, and so is one that is not under the change any
    /// more.
    mutating func add(_ id: ManagedObjectID, to key: Key, isStored: Bool = true) {
        ordinal += 1
        let ordinal = ordinal
        change(key) { change in
            if change.removed.remove(id) == nil || !isStored { change.append(id, ordinal) }
        }
        orderings[key]?.append(id)
    }

    /// An object that was added before leaves no trace, unless it is under the change by now.
    mutating func remove(_ id: ManagedObjectID, from key: Key, isStored: Bool = false) {
        change(key) { change in
            if !change.removeAdded(id) || isStored { change.removed.insert(id) }
        }
        orderings[key]?.markIncomplete()
    }

    /// Changes a change where it lies: a copy would cost as much as it has objects.
    private mutating func change(_ key: Key, _ body: (inout Change) -> Void) {
        changedRelationships.insert(Identity(rootIndex: key.rootIndex, slot: key.slot))
        body(&changes[key, default: Change()])
        if changes[key]?.isEmpty == true { changes[key] = nil }
    }

    /// Adds the changes of another delta, which come after these.
    mutating func add(_ later: RelationshipDelta) {
        for (key, change) in later.changes {
            let sum = changes[key]?.adding(change) ?? change
            changes[key] = sum.isEmpty ? nil : sum
        }
        for (key, change) in later.changes {
            for id in change.addedInOrder { orderings[key]?.append(id) }
        }
        orderings.merge(later.orderings) { $1 }
        for key in Set(later.changes.keys).union(later.orderings.keys) { orderings[key]?.markIncomplete() }
        changedRelationships.formUnion(later.changedRelationships)
        ordinal = max(ordinal, later.ordinal)
    }

    /// Forgets a relationship of one object.
    mutating func forget(_ key: Key) {
        changes[key] = nil
        orderings[key] = nil
    }

    mutating func removeAll() {
        changes = [:]
        orderings = [:]
        changedRelationships = []
        ordinal = 0
    }
}
