import TributaryChanges

/// Collects the objects whose unique keys have changed, and the keys that shadows wait for.
///
/// Objects of entities without uniqueness constraints cost one look at a flag.
final class KeyChanges {
    struct Key: Hashable {
        var table: Int
        var key: StoredKey
    }

    private let tables: MergeTables
    /// Objects that appeared, or whose keys or versions changed.
    @exclusivity(unchecked) private(set) var objects: Set<ChangeSlice.Object> = []
    /// Keys that visible objects had and shadows have.
    @exclusivity(unchecked) private(set) var keys: Set<Key> = []

    init(_ tables: MergeTables) {
        self.tables = tables
    }

    var isEmpty: Bool { objects.isEmpty && keys.isEmpty }

    /// Records an object that has appeared, or whose keys or versions have changed.
    @inline(__always)
    func insert(_ table: Int, _ id: UniqueID) {
        guard tables.keys.hasKeys(table) else { return }
        objects.insert(ChangeSlice.Object(table: table, id: id))
    }

    /// Records the keys of a visible object that is about to change, where shadows wait for them.
    func release(_ row: VisibleRow, _ table: Int) throws {
        guard tables.shadows.hasRows, tables.keys.hasKeys(table) else { return }
        for key in try tables.keys.keys(of: row, table) where try tables.shadows.hasHolder(of: key, table) {
            keys.insert(Key(table: table, key: key))
        }
    }

    /// Returns what was collected and forgets it.
    func take() -> (objects: Set<ChangeSlice.Object>, keys: Set<Key>) {
        defer { (objects, keys) = ([], []) }
        return (objects, keys)
    }
}
