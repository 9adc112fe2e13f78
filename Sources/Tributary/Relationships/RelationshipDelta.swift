import TributaryChanges

/// The unsaved changes of a context to to-many relationships and inverse sides of one-to-one relationships.
///
/// Where a relationship is derived from registers, its delta follows from changed registers; where it is stored as
/// pairs, the delta is the change itself.
struct RelationshipDelta: Sendable {
    struct Key: Hashable, Sendable {
        var rootIndex: Int
        var id: UniqueID
        var propertyIndex: Int
    }

    struct Identity: Hashable, Sendable {
        var rootIndex: Int
        var propertyIndex: Int
    }

    struct Change: Sendable {
        private(set) var added: [ManagedObjectID: Int] = [:]
        fileprivate(set) var removed: Set<ManagedObjectID> = []
        /// The keys of ``added`` in order, with some that were removed since.
        private var sequence: [(id: ManagedObjectID, ordinal: Int)] = []

        var addedInOrder: [ManagedObjectID] {
            sequence.count == added.count
                ? sequence.map(\.id) : sequence.filter { added[$0.id] == $0.ordinal }.map(\.id)
        }

        fileprivate mutating func append(_ id: ManagedObjectID, _ ordinal: Int) {
            if sequence.count > 2 * added.count + 16 { sequence = sequence.filter { added[$0.id] == $0.ordinal } }
            added[id] = ordinal
            sequence.append((id, ordinal))
        }

        @discardableResult
        fileprivate mutating func removeAdded(_ id: ManagedObjectID) -> Bool { added.removeValue(forKey: id) != nil }

        fileprivate var isEmpty: Bool { added.isEmpty && removed.isEmpty }

        func applied(to ids: [ManagedObjectID]) -> [ManagedObjectID] {
            ids.filter { !removed.contains($0) && added[$0] == nil } + addedInOrder
        }

        /// The later change wins, whatever the store has by now: others may have linked an object that this change
        /// links and the later one unlinks.
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
    private(set) var orderings: [Key: RelationshipOrdering] = [:]
    private var ordinal = 0
    /// Relationships that have changed on some object since the delta was empty.
    private(set) var changedRelationships: Set<Identity> = []
    /// Grows when lists change without a link or unlink, because an object is deleted or resurrected.
    private(set) var visibility: UInt64 = 0

    var isEmpty: Bool { changes.isEmpty && orderings.isEmpty }

    /// The relationships that have changed, in their objects or in the order alone.
    var keys: Set<Key> { Set(changes.keys).union(orderings.keys) }

    var orderedKeys: Set<Key> {
        Set(orderings.keys).union(changes.lazy.filter { !$0.value.added.isEmpty }.map(\.key))
    }

    /// `version` is the context's list version when `ids` are all objects of the relationship.
    mutating func setOrder(_ ids: [ManagedObjectID], _ key: Key, completeAt version: UInt64? = nil) {
        orderings[key] = RelationshipOrdering(ids, completeAt: version)
    }

    /// Returns false unless the order is complete at the version and the object is its last one.
    mutating func moveLast(_ id: ManagedObjectID, to index: Int, _ key: Key, version: UInt64) -> Bool {
        guard let known = orderings[key], known.completeAt == version, known.ids.last == id else { return false }
        orderings[key]?.moveLast(to: index)
        return true
    }

    mutating func changeVisibility() { visibility &+= 1 }

    subscript(key: Key) -> Change? { changes[key] }

    /// Returns the objects of a relationship after the changes; deleted ones may be among them.
    func related(_ ids: [ManagedObjectID], at key: Key) -> [ManagedObjectID] {
        let changed = changes[key]?.applied(to: ids) ?? ids
        return orderings[key]?.ordering(changed) ?? changed
    }

    /// Restores an object that was removed before; any other object is new, also one that the store no longer has.
    ///
    /// An edit puts the object at the end of an ordered relationship; otherwise it keeps its place.
    mutating func add(_ id: ManagedObjectID, to key: Key, isStored: Bool = true, isEdit: Bool = true) {
        ordinal += 1
        let ordinal = ordinal
        change(key) { change in
            if change.removed.remove(id) == nil || !isStored { change.append(id, ordinal) }
        }
        if isEdit || orderings[key]?.contains(id) == false { orderings[key]?.append(id) }
    }

    /// An object that was added before is forgotten, unless the store has it by now.
    mutating func remove(_ id: ManagedObjectID, from key: Key, isStored: Bool = false) {
        change(key) { change in
            if !change.removeAdded(id) || isStored { change.removed.insert(id) }
        }
        orderings[key]?.markIncomplete()
    }

    /// Modifies the change in place, because a copy costs as much as the change has objects.
    private mutating func change(_ key: Key, _ block: (inout Change) -> Void) {
        changedRelationships.insert(Identity(rootIndex: key.rootIndex, propertyIndex: key.propertyIndex))
        block(&changes[key, default: Change()])
        if changes[key]?.isEmpty == true { changes[key] = nil }
    }

    mutating func add(_ later: RelationshipDelta) {
        for (key, change) in later.changes {
            let sum = changes[key]?.adding(change) ?? change
            changes[key] = sum.isEmpty ? nil : sum
        }
        for (key, change) in later.changes {
            for id in change.addedInOrder { orderings[key]?.append(id) }
        }
        orderings.merge(later.orderings) { $1 }
        for key in later.keys { orderings[key]?.markIncomplete() }
        changedRelationships.formUnion(later.changedRelationships)
        ordinal = max(ordinal, later.ordinal)
    }

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

extension RelationshipDelta.Key {
    init(_ object: ManagedObject, _ propertyIndex: Int) {
        self.init(object.descriptor, object.uniqueID, propertyIndex)
    }

    init(_ descriptor: EntityDescriptor, _ id: UniqueID, _ propertyIndex: Int) {
        self.init(rootIndex: descriptor.rootIndex, id: id, propertyIndex: propertyIndex)
    }
}

/// The objects to or from which other objects were linked: their relationships have changed, their registers have
/// not.
///
/// Until a caller requests the objects, only their keys are stored. From then on until the save the objects are held
/// strongly, so that a hook after the save is called on the object of the hook before it.
struct LinkedOwners {
    /// The keys, each once, in the order in which they were first linked; a reverted link leaves its key here.
    private(set) var keys: [ObjectKey] = []
    private var known: Set<ObjectKey> = []
    private var held: [ObjectKey: ManagedObject] = [:]

    mutating func insert(_ key: ObjectKey) {
        if known.insert(key).inserted { keys.append(key) }
    }

    func contains(_ key: ObjectKey) -> Bool { known.contains(key) }

    mutating func hold(_ object: ManagedObject) { held[object.key] = object }

    mutating func removeAll() {
        guard !keys.isEmpty else { return }
        keys = []
        known = []
        held = [:]
    }
}
