import TributaryChanges

/// Follows from changed registers where the relationship is derived from registers; for pairs it is the change.
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
        fileprivate(set) var version: UInt64 = 0
        private var sequence: [(id: ManagedObjectID, ordinal: Int)] = []

        enum End: Sendable { case added, removed }

        func end(_ id: ManagedObjectID) -> End? { added[id] != nil ? .added : removed.contains(id) ? .removed : nil }

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

        /// The later change wins, because others may have linked the same objects by now.
        func adding(_ later: Change) -> Change {
            var sum = self
            for id in later.removed {
                sum.removeAdded(id)
                sum.removed.insert(id)
            }
            // An object that was added and removed before still has an ordinal.
            let last = sum.sequence.last?.ordinal ?? 0
            for (index, id) in later.addedInOrder.enumerated() {
                sum.removed.remove(id)
                sum.append(id, last + index + 1)
            }
            return sum
        }
    }

    struct PairChange: Equatable {
        var here: Change.End?
        var there: Change.End?
        var saveCount: UInt64
    }

    struct OrderChange {
        var ordering: RelationshipOrdering?
        var added: [ManagedObjectID]
        var saveCount: UInt64
    }

    private(set) var changes: [Key: Change] = [:]
    private(set) var orderings: [Key: RelationshipOrdering] = [:]
    private var ordinal = 0
    private var edits: UInt64 = 0
    private(set) var changedRelationships: Set<Identity> = []
    private(set) var visibility: UInt64 = 0

    var hasOneToOne = false

    var isEmpty: Bool { changes.isEmpty && orderings.isEmpty }

    var hasMoves: Bool { orderings.values.contains { !$0.moved.isEmpty } }

    var keys: Set<Key> { Set(changes.keys).union(orderings.keys) }

    var orderedKeys: Set<Key> {
        Set(orderings.keys).union(changes.lazy.filter { !$0.value.added.isEmpty }.map(\.key))
    }

    mutating func setOrder(_ ordering: RelationshipOrdering, _ key: Key) {
        edits &+= 1
        orderings[key] = ordering
        orderings[key]?.version = edits
    }

    func isLast(_ id: ManagedObjectID, _ key: Key, version: UInt64) -> Bool {
        orderings[key].map { $0.completeAt == version && $0.ids.last == id && !$0.moved.contains(id) } ?? false
    }

    mutating func moveLast(to index: Int, _ key: Key) {
        edits &+= 1
        orderings[key]?.moveLast(to: index)
        orderings[key]?.version = edits
    }

    mutating func changeVisibility() { visibility &+= 1 }

    subscript(key: Key) -> Change? { changes[key] }

    func related(_ ids: [ManagedObjectID], at key: Key) -> [ManagedObjectID] {
        let changed = changes[key]?.applied(to: ids) ?? ids
        return orderings[key]?.ordering(changed) ?? changed
    }

    /// Restores an object that was removed before; any other object is new, and goes to the end of an order.
    mutating func add(_ id: ManagedObjectID, to key: Key, isStored: Bool = true) {
        ordinal += 1
        let ordinal = ordinal
        var isRestored = false
        change(key) { change in
            isRestored = change.removed.remove(id) != nil && isStored
            if !isRestored { change.append(id, ordinal) }
        }
        orderings[key]?.append(id, isMoved: isRestored)
    }

    mutating func appendAgain(_ ids: [ManagedObjectID], to key: Key) {
        for id in ids where changes[key]?.added[id] != nil && orderings[key]?.moved.contains(id) != true {
            ordinal += 1
            let ordinal = ordinal
            change(key) { $0.append(id, ordinal) }
        }
        orderings[key]?.markIncomplete()
    }

    mutating func remove(_ id: ManagedObjectID, from key: Key, isStored: Bool = false) {
        change(key) { change in
            if !change.removeAdded(id) || isStored { change.removed.insert(id) }
        }
        orderings[key]?.markIncomplete()
    }

    /// For a relationship that is derived from registers; `isStored` is whether the object's row refers to the owner.
    mutating func set(_ isLinked: Bool, _ id: ManagedObjectID, in key: Key, isStored: Bool, isAppended: Bool) {
        ordinal += 1
        let ordinal = ordinal
        change(key) { change in
            if isLinked {
                change.removed.remove(id)
                if !isStored, change.added[id] == nil { change.append(id, ordinal) }
            } else {
                change.removeAdded(id)
                if isStored { change.removed.insert(id) }
            }
        }
        if isLinked, isAppended {
            orderings[key]?.append(id, isMoved: isStored)
        } else {
            orderings[key]?.markIncomplete()
        }
    }

    /// Modifies the change in place, because a copy costs O(n) for n objects in the change.
    private mutating func change(_ key: Key, _ block: (inout Change) -> Void) {
        changedRelationships.insert(Identity(rootIndex: key.rootIndex, propertyIndex: key.propertyIndex))
        edits &+= 1
        let edits = edits
        func apply(_ change: inout Change) {
            block(&change)
            change.version = edits
        }
        apply(&changes[key, default: Change()])
        if changes[key]?.isEmpty == true { changes[key] = nil }
    }

    mutating func add(_ later: RelationshipDelta) {
        for (key, change) in later.changes {
            let sum = changes[key]?.adding(change) ?? change
            changes[key] = sum.isEmpty ? nil : sum
            // An earlier move of an object that the later changes add decides nothing.
            if orderings[key] != nil { for id in change.addedInOrder { orderings[key]?.append(id, isMoved: false) } }
        }
        orderings.merge(later.orderings) { $0.adding($1) }
        for key in later.keys { orderings[key]?.markIncomplete() }
        changedRelationships.formUnion(later.changedRelationships)
        ordinal = max(ordinal, later.ordinal)
        hasOneToOne = hasOneToOne || later.hasOneToOne
    }

    mutating func forget(_ key: Key) {
        changes[key] = nil
        orderings[key] = nil
    }

    mutating func dropMoves(of gone: Set<ManagedObjectID>) {
        guard !gone.isEmpty else { return }
        for (key, ordering) in orderings where !ordering.moved.isDisjoint(with: gone) {
            orderings[key] = ordering.keeping(gone.contains)
        }
    }

    mutating func forgetOrder(_ key: Key) { orderings[key] = nil }

    mutating func restoreOrder(_ former: RelationshipOrdering?, added: [ManagedObjectID], _ key: Key) {
        edits &+= 1
        orderings[key] = former
        orderings[key]?.version = edits
        orderings[key]?.markIncomplete()
        for id in added {
            ordinal += 1
            let ordinal = ordinal
            change(key) { $0.append(id, ordinal) }
        }
    }

    mutating func removeAll() {
        changes = [:]
        orderings = [:]
        changedRelationships = []
        ordinal = 0
        hasOneToOne = false
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

/// Requested objects are held strongly until the save, so that both hooks of a save are called on the same object.
struct LinkedOwners {
    /// A reverted link leaves its key here.
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
