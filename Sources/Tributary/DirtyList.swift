/// The objects of a context that a save includes, held strongly, in the order in which they became dirty.
struct DirtyList {
    private var entries: [ManagedObject?] = []
    private(set) var count = 0

    /// In order.
    var objects: [ManagedObject] { entries.compactMap { $0 } }

    mutating func insert(_ object: ManagedObject) {
        guard object.dirtyIndex < 0 else { return }
        if entries.count > 2 * count + 64 { closeGaps() }
        object.dirtyIndex = entries.count
        entries.append(object)
        count += 1
    }

    /// Places that objects have left are not taken again, so that the order stays; now and then they go.
    private mutating func closeGaps() {
        entries.removeAll { $0 == nil }
        for (index, object) in entries.enumerated() { object?.dirtyIndex = index }
    }

    mutating func remove(_ object: ManagedObject) {
        guard object.dirtyIndex >= 0 else { return }
        entries[object.dirtyIndex] = nil
        object.dirtyIndex = -1
        count -= 1
        if count == 0 { entries = [] }
    }

    mutating func removeAll() {
        for object in objects { object.dirtyIndex = -1 }
        entries = []
        count = 0
    }
}
