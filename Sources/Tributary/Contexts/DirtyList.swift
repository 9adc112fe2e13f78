import TributaryChanges

/// The objects of a context that a save includes, held strongly, in the order in which they were first changed.
struct DirtyList {
    private var entries: [ManagedObject?] = []
    private(set) var count = 0
    private(set) var keys = DirtyKeyIndex()
    /// Objects without changes of their own whose relationships the changed objects have changed.
    var owners = LinkedOwners()
    private var counts: [Int] = []
    /// Root entities of which an object was deleted since the list was empty.
    private(set) var deletedRootIndexes: Set<Int> = []

    /// The number of objects that callers visited one by one for a request; for tests.
    private(set) var visited = 0

    var objects: [ManagedObject] { entries.compactMap { $0 } }

    /// Returns all objects in order, for a request that requires no known value.
    mutating func visitAll() -> [ManagedObject] {
        visited += count
        return objects
    }

    func count(rootIndex: Int) -> Int { counts.indices.contains(rootIndex) ? counts[rootIndex] : 0 }

    var rootIndexes: [Int] { counts.indices.filter { counts[$0] > 0 } }

    mutating func insert(_ object: ManagedObject) {
        if object.state == .deleted { deletedRootIndexes.insert(object.descriptor.rootIndex) }
        guard object.dirtyIndex < 0 else { return }
        if entries.count > 2 * count + 64 { closeGaps() }
        object.dirtyIndex = entries.count
        if keys.isUsed { keys.insert(entries.count) }
        entries.append(object)
        count += 1
        let root = object.descriptor.rootIndex
        if counts.count <= root { counts += Array(repeating: 0, count: root + 1 - counts.count) }
        counts[root] += 1
    }

    /// Indexes that objects have left are not used again, so that the order stays; now and then they are removed.
    private mutating func closeGaps() {
        entries.removeAll { $0 == nil }
        for (index, object) in entries.enumerated() { object?.dirtyIndex = index }
        keys.removeAll()
    }

    /// The objects that may have the values in the property indexes of the scope, in order; see ``DirtyKeyIndex``.
    mutating func objects(_ key: [PropertyValue], in scope: DirtyKeyIndex.Scope, version: UInt64) -> [ManagedObject] {
        keys.listIndexes(of: key, in: scope, version: version, entries: entries).compactMap { entries[$0] }
    }

    mutating func propertyWillChange(of object: ManagedObject, _ propertyIndex: Int) {
        guard object.dirtyIndex >= 0 else { return }
        keys.change(object.dirtyIndex, rootIndex: object.descriptor.rootIndex, propertyIndex: propertyIndex)
    }

    /// Adds an owner to or from which one of the objects was linked or unlinked.
    mutating func addOwner(_ owner: ObjectKey) {
        if count > 0 { owners.insert(owner) }
    }

    mutating func remove(_ object: ManagedObject) {
        guard object.dirtyIndex >= 0 else { return }
        entries[object.dirtyIndex] = nil
        object.dirtyIndex = -1
        count -= 1
        counts[object.descriptor.rootIndex] -= 1
        if count == 0 { removeAll() }
    }

    mutating func removeAll() {
        for object in objects { object.dirtyIndex = -1 }
        entries = []
        count = 0
        counts = []
        deletedRootIndexes = []
        keys.removeAll()
        owners.removeAll()
    }
}
