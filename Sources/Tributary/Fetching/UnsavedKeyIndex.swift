import TributaryChanges
import TributaryStore

/// An index of unsaved objects by attribute values, for look-ups that do not visit all of them.
///
/// An entry may be out of date: the caller compares the object's values with the key once more.
struct UnsavedKeyIndex {
    private var indexes: [DirtyKeyIndex.Scope: [[PropertyValue]: [ObjectKey]]] = [:]
    /// The number of objects that were added to an index; for tests.
    private(set) var visited = 0

    /// The number of indexes beyond which all are dropped.
    private static let limit = 16

    mutating func insert(_ key: ObjectKey, _ unsaved: UnsavedObject) {
        for scope in indexes.keys { insert(key, unsaved, scope) }
    }

    mutating func removeAll() { indexes = [:] }

    /// Returns the keys of the objects that may have the values; all objects are visited when the scope is first used.
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
        let values = scope.propertyIndexes.map { row.values.indices.contains($0) ? row.values[$0] : .null }
        // An object that is saved repeatedly has one entry.
        guard indexes[scope]?[values]?.last != key else { return }
        indexes[scope]?[values, default: []].append(key)
    }
}

struct UnsavedObject: Sendable {
    /// The row with the unsaved changes; nil when the context has deleted the object.
    var row: Row?
    /// Whether the store has never seen the object.
    var isInserted: Bool
}
