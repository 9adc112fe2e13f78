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
        /// Indexes in the list of dirty objects.
        var listIndexes: [[PropertyValue]: [Int]] = [:]
        /// How many entries `listIndexes` has, those included that are out of date or there twice.
        var count = 0
        /// Indexes of objects that have come or changed since they were taken in.
        private(set) var pending: [Int]
        /// Past this length list indexes that are there twice leave `pending`.
        private var limit: Int

        init(pending: [Int]) {
            self.pending = []
            limit = 0
            setPending(pending)
        }

        mutating func setPending(_ listIndexes: [Int]) {
            pending = listIndexes
            limit = 2 * listIndexes.count + 64
        }

        mutating func append(_ listIndex: Int) {
            if pending.count >= limit { setPending(Set(pending).sorted()) }
            pending.append(listIndex)
        }
    }

    private var indexes: [Scope: Index] = [:]
    /// What the context showed when the indexes were made.
    private var version: UInt64 = 0
    /// Entries that were compared with a key, or taken in; for tests.
    private(set) var visited = 0
    /// Entries that are kept, and list indexes of objects that are to be taken in; for tests.
    var size: Int { indexes.values.reduce(0) { $0 + $1.count + $1.pending.count } }

    /// Indexes past which all are dropped.
    private static let limit = 16

    /// Whether new and changed objects have to be added.
    var isUsed: Bool { !indexes.isEmpty }

    /// An object has come to the list index.
    mutating func insert(_ listIndex: Int) {
        for scope in indexes.keys { indexes[scope]?.append(listIndex) }
    }

    /// A property of the object at the list index is about to change.
    mutating func change(_ listIndex: Int, rootIndex: Int, slot: Int) {
        for scope in indexes.keys where scope.rootIndex == rootIndex && scope.slots.contains(slot) {
            indexes[scope]?.append(listIndex)
        }
    }

    mutating func removeAll() {
        indexes = [:]
    }

    /// Indexes of objects that may have the values, in the order of the list.
    ///
    /// - Parameters:
    ///   - key: the values, one for each slot of the scope.
    ///   - scope: which attributes of which objects.
    ///   - version: what the context shows; everything is taken in anew when that has moved.
    ///   - entries: the list of dirty objects.
    /// - Returns: The indexes in `entries`.
    mutating func listIndexes(
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
        for listIndex in index.pending {
            visited += 1
            guard entries.indices.contains(listIndex), let object = entries[listIndex],
                object.kind.rootIndex == scope.rootIndex
            else { continue }
            guard !object.values.isEmpty else {
                unread.append(listIndex)
                continue
            }
            let values = scope.slots.map { object.values.indices.contains($0) ? object.values[$0] : .null }
            index.listIndexes[values, default: []].append(listIndex)
            index.count += 1
        }
        index.setPending(unread)
        let found = Set(index.listIndexes[key] ?? []).union(unread)
        visited += found.count
        indexes[scope] = index
        return found.sorted()
    }
}
