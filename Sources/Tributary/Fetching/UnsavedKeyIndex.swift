import TributaryChanges
import TributaryStore

/// Unsaved objects by the values of some of their attributes, for look-ups that do not visit all of them.
///
/// An entry may be out of date: the caller compares the object's values with the key once more.
struct UnsavedKeyIndex {
    private var indexes: [DirtyKeyIndex.Scope: [[PropertyValue]: [ObjectKey]]] = [:]
    /// Objects that were put into an index; for tests.
    private(set) var visited = 0

    /// Indexes past which all are dropped.
    private static let limit = 16

    /// Adds an object to the indexes that exist.
    mutating func insert(_ key: ObjectKey, _ unsaved: UnsavedObject) {
        for scope in indexes.keys { insert(key, unsaved, scope) }
    }

    mutating func removeAll() { indexes = [:] }

    /// The objects that may have the values.
    ///
    /// - Parameters:
    ///   - values: one for each slot of the scope.
    ///   - scope: which attributes of which objects.
    ///   - objects: all unsaved objects, which are visited when the scope is first asked for.
    /// - Returns: The keys of the objects.
    mutating func keys(
        of values: [PropertyValue],
        in scope: DirtyKeyIndex.Scope,
        objects: [ObjectKey: UnsavedObject]
    ) -> [ObjectKey] {
        if indexes[scope] == nil {
            if indexes.count >= UnsavedKeyIndex.limit { removeAll() }
            indexes[scope] = [:]
            for (key, unsaved) in objects { insert(key, unsaved, scope) }
        }
        return indexes[scope]?[values] ?? []
    }

    private mutating func insert(_ key: ObjectKey, _ unsaved: UnsavedObject, _ scope: DirtyKeyIndex.Scope) {
        guard key.rootIndex == scope.rootIndex, let row = unsaved.row else { return }
        visited += 1
        let values = scope.slots.map { row.values.indices.contains($0) ? row.values[$0] : .null }
        // An object that is saved again and again has one entry.
        guard indexes[scope]?[values]?.last != key else { return }
        indexes[scope]?[values, default: []].append(key)
    }
}
