import TributaryChanges
import TributaryStore

/// The rows of faults and the other ends of relationships that one context has read ahead.
///
/// It is valid until the context changes or shows another state: a save, a merge, a refresh, the next `perform`. Rows
/// of a context that shows a generation go to the container's row cache instead, where other contexts find them.
struct PrefetchCache {
    private var rows: [ManagedObjectID: Row] = [:]
    private var related: [RelationshipDelta.Key: [ManagedObjectID]] = [:]
    private var version: UInt64 = 0

    /// The maximum number of rows and relationships; beyond it all are dropped for new ones.
    static let limit = 50_000

    func row(_ id: ManagedObjectID, version: UInt64) -> Row? { version == self.version ? rows[id] : nil }

    func related(_ key: RelationshipDelta.Key, version: UInt64) -> [ManagedObjectID]? {
        version == self.version ? related[key] : nil
    }

    mutating func insert(_ rows: [Row], version: UInt64) {
        makeRoom(version)
        for row in rows { self.rows[row.id] = row }
    }

    mutating func insert(_ ids: [ManagedObjectID], at key: RelationshipDelta.Key, version: UInt64) {
        makeRoom(version)
        related[key] = ids
    }

    private mutating func makeRoom(_ version: UInt64) {
        guard version != self.version || rows.count + related.count > PrefetchCache.limit else { return }
        rows = [:]
        related = [:]
        self.version = version
    }
}
