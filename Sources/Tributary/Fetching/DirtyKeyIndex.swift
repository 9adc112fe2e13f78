import TributaryChanges

/// The unsaved objects of a context by the values of some of their attributes, so that looking one up does not visit all.
///
/// It takes in what has come or changed since the last look-up when it is asked. An entry may be out of date: who asks
/// holds the object's values against the key once more.
struct DirtyKeyIndex {
    /// Which attributes of which objects.
    struct Scope: Hashable {
        var rootIndex: Int
        var slots: [Int]
    }

    private struct Index {
        /// Places in the list of dirty objects.
        var places: [[PropertyValue]: [Int]] = [:]
        /// How many entries `places` has, those included that are out of date or there twice.
        var count = 0
        /// Places of objects that have come or changed since they were taken in.
        private(set) var pending: [Int]
        /// Past this length places that are there twice leave `pending`.
        private var limit: Int

        init(pending: [Int]) {
            self.pending = []
            limit = 0
            setPending(pending)
        }

        mutating func setPending(_ places: [Int]) {
            pending = places
            limit = 2 * places.count + 64
        }

        mutating func append(_ place: Int) {
            if pending.count >= limit { setPending(Set(pending).sorted()) }
            pending.append(place)
        }
    }

    private var indexes: [Scope: Index] = [:]
    /// What the context showed when the indexes were made.
    private var version: UInt64 = 0
    /// Entries that were compared with a key, or taken in; for tests.
    private(set) var visited = 0
    /// Entries that are kept, and places of objects that are to be taken in; for tests.
    var size: Int { indexes.values.reduce(0) { $0 + $1.count + $1.pending.count } }

    /// Indexes past which all are dropped.
    private static let limit = 16

    /// Whether new and changed objects have to be added.
    var isUsed: Bool { !indexes.isEmpty }

    /// An object has come to the place.
    mutating func insert(_ place: Int) {
        for scope in indexes.keys { indexes[scope]?.append(place) }
    }

    /// A property of the object at the place is about to change.
    mutating func change(_ place: Int, rootIndex: Int, slot: Int) {
        for scope in indexes.keys where scope.rootIndex == rootIndex && scope.slots.contains(slot) {
            indexes[scope]?.append(place)
        }
    }

    mutating func removeAll() {
        indexes = [:]
    }

    /// Places of objects that may have the values, in the order of the list.
    ///
    /// - Parameters:
    ///   - key: the values, one for each slot of the scope.
    ///   - scope: which attributes of which objects.
    ///   - version: what the context shows; everything is taken in anew when that has moved.
    ///   - entries: the list of dirty objects.
    /// - Returns: The places in `entries`.
    mutating func places(
        of key: [PropertyValue],
        in scope: Scope,
        version: UInt64,
        entries: [ManagedObject?]
    ) -> [Int] {
        if version != self.version || (indexes[scope] == nil && indexes.count >= DirtyKeyIndex.limit) { removeAll() }
        self.version = version
        // Taken out while it changes, so that it is not copied.
        var index = indexes.removeValue(forKey: scope) ?? Index(pending: Array(entries.indices))
        // A change leaves the entry of the former value behind: now and then all entries are made anew.
        if index.count + index.pending.count > 2 * entries.count + 64 { index = Index(pending: Array(entries.indices)) }
        // Reading an object that was only linked so far would change the list that is being looked through.
        var unread: [Int] = []
        for place in index.pending {
            visited += 1
            guard entries.indices.contains(place), let object = entries[place],
                object.kind.rootIndex == scope.rootIndex
            else { continue }
            guard !object.values.isEmpty else {
                unread.append(place)
                continue
            }
            let values = scope.slots.map { object.values.indices.contains($0) ? object.values[$0] : .null }
            index.places[values, default: []].append(place)
            index.count += 1
        }
        index.setPending(unread)
        let found = Set(index.places[key] ?? []).union(unread)
        visited += found.count
        indexes[scope] = index
        return found.sorted()
    }
}
