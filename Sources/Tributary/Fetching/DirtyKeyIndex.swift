import TributaryChanges

/// An entry may be out of date: the caller compares the object's values with the key again.
struct DirtyKeyIndex {
    struct Scope: Hashable {
        var rootIndex: Int
        var propertyIndexes: [Int]
    }

    private struct Index {
        var listIndexes: [[PropertyValue]: [Int]] = [:]
        var count = 0
        private(set) var pending: [Int]
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
    private var version: UInt64 = 0
    private(set) var visited = 0
    var size: Int { indexes.values.reduce(0) { $0 + $1.count + $1.pending.count } }

    private static let limit = 16

    var isUsed: Bool { !indexes.isEmpty }

    mutating func insert(_ listIndex: Int) {
        for scope in indexes.keys { indexes[scope]?.append(listIndex) }
    }

    /// Must be called before one of the object's properties changes.
    mutating func change(_ listIndex: Int, rootIndex: Int, propertyIndex: Int) {
        for scope in indexes.keys where scope.rootIndex == rootIndex && scope.propertyIndexes.contains(propertyIndex) {
            indexes[scope]?.append(listIndex)
        }
    }

    mutating func removeAll() {
        indexes = [:]
    }

    /// All indexes are rebuilt for another shown `version`; some objects may no longer have the values.
    mutating func listIndexes(
        of key: [PropertyValue],
        in scope: Scope,
        version: UInt64,
        entries: [ManagedObject?]
    ) -> [Int] {
        if version != self.version || (indexes[scope] == nil && indexes.count >= DirtyKeyIndex.limit) { removeAll() }
        self.version = version
        // The index is removed while it changes, so that it is not copied.
        var index = indexes.removeValue(forKey: scope) ?? Index(pending: Array(entries.indices))
        // A change leaves the entry of the former value behind, so the index is rebuilt when it has grown too long.
        if index.count + index.pending.count > 2 * entries.count + 64 { index = Index(pending: Array(entries.indices)) }
        // Reading an object that was only linked so far would change the list that this loop visits.
        var unread: [Int] = []
        for listIndex in index.pending {
            visited += 1
            guard entries.indices.contains(listIndex), let object = entries[listIndex],
                object.descriptor.rootIndex == scope.rootIndex
            else { continue }
            guard !object.values.isEmpty else {
                unread.append(listIndex)
                continue
            }
            let values = scope.propertyIndexes.map { object.values.indices.contains($0) ? object.values[$0] : .null }
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
