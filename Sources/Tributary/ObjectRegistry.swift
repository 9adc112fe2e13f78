import TributaryChanges

/// The objects of a context by ID, held weakly: one object for each ID.
struct ObjectRegistry {
    private struct Entry {
        weak var object: ManagedObject?
        /// Holds the object when the context retains all of them.
        var held: ManagedObject?
    }

    /// By root entity.
    private var tables: [[UniqueID: Entry]]
    private var entryCount = 0
    private var isRetaining = false
    /// Entries at which those of objects that are gone are swept out.
    private var sweepAt = ObjectRegistry.firstSweep
    private static let firstSweep = 1024

    init(rootCount: Int) {
        tables = Array(repeating: [:], count: rootCount + 1)
    }

    func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        tables[rootIndex][id]?.object
    }

    /// From now on holds all objects strongly, or no object.
    mutating func retain(_ isRetaining: Bool) {
        guard self.isRetaining != isRetaining else { return }
        self.isRetaining = isRetaining
        for table in tables.indices {
            tables[table] = tables[table].mapValues {
                let object = $0.object
                return Entry(object: object, held: isRetaining ? object : nil)
            }
        }
    }

    /// Puts an object in the place of whatever had its ID.
    mutating func register(_ object: ManagedObject) {
        if tables[object.kind.rootIndex].updateValue(
            Entry(object: object, held: isRetaining ? object : nil),
            forKey: object.uniqueID
        ) == nil {
            entryCount += 1
        }
        if entryCount >= sweepAt { sweep() }
    }

    mutating func remove(_ object: ManagedObject) {
        let table = object.kind.rootIndex
        guard tables[table][object.uniqueID]?.object === object else { return }
        tables[table][object.uniqueID] = nil
        entryCount -= 1
    }

    /// The live objects, in no order to rely on.
    var objects: [ManagedObject] {
        tables.flatMap { $0.values.compactMap(\.object) }
    }

    /// The number of live objects and of those that went since the last sweep.
    var count: Int { entryCount }

    /// Costs what is registered, at most once for each doubling of what is live.
    private mutating func sweep() {
        entryCount = 0
        for index in tables.indices {
            tables[index] = tables[index].filter { $0.value.object != nil }
            entryCount += tables[index].count
        }
        sweepAt = max(ObjectRegistry.firstSweep, entryCount * 2)
    }
}
