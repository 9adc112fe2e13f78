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

    /// Records the keys of a visible object that is about to disappear, where shadows wait for them.
    func release(_ row: VisibleRow, _ table: Int) throws {
        if let former = try awaited(of: row, table) { try release(former, table) }
    }

    /// The keys of a visible object that is about to change; nil while there are no shadows, which could wait for them.
    func awaited(of row: VisibleRow, _ table: Int) throws -> [StoredKey]? {
        guard tables.shadows.hasRows, tables.keys.hasKeys(table) else { return nil }
        return try tables.keys.keys(of: row, table)
    }

    /// Records a visible object whose keys have been written, unless they are the keys that it had.
    func insert(_ row: VisibleRow, _ table: Int, after former: [StoredKey]?, isInsert: Bool) throws {
        if let former {
            if try !isInsert && tables.keys.keys(of: row, table) == former { return }
            try release(former, table)
        }
        insert(table, row.id)
    }

    private func release(_ former: [StoredKey], _ table: Int) throws {
        for key in former where try tables.shadows.hasHolder(of: key, table) {
            keys.insert(Key(table: table, key: key))
        }
    }

    func take() -> (objects: Set<ChangeSlice.Object>, keys: Set<Key>) {
        defer { (objects, keys) = ([], []) }
        return (objects, keys)
    }
}
