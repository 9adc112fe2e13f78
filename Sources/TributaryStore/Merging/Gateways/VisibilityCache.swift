import TributaryChanges

/// Caches the known visibility of objects.
///
/// Objects that the current changes are about to insert count as visible from the beginning, so that a reference to one
/// of them need not wait. ``ObjectMerger`` reverts this when a deletion supersedes the insert. Shadows do not count
/// as visible.
final class VisibilityCache {
    private let objects: ObjectTables
    /// For each table, whether any relationship leads to its objects, so that their visibility matters.
    private let isTarget: [Bool]
    @exclusivity(unchecked) private var known: [[UniqueID: Bool]]
    private static let limit = 100_000

    init(_ objects: ObjectTables, layout: StoreModel) {
        self.objects = objects
        isTarget = layout.tables.indices.map { !layout.incoming[$0].isEmpty || !layout.linksOf[$0].isEmpty }
        known = Array(repeating: [:], count: layout.tables.count)
    }

    func isVisible(_ table: Int, _ id: UniqueID) throws -> Bool {
        if let isVisible = known[table][id] { return isVisible }
        let isVisible = try objects.exists(table, id)
        known[table][id] = isVisible
        return isVisible
    }

    /// Whether the cache knows the object as visible or about to be inserted; false when the cache does not know it.
    func countsAsVisible(_ table: Int, _ id: UniqueID) -> Bool { known[table][id] == true }

    /// Caches the present or imminent visibility of an object.
    func set(_ table: Int, _ id: UniqueID, isVisible: Bool) {
        if isTarget[table] { known[table][id] = isVisible }
    }

    /// Clears the tables with too many cached objects; called between changes.
    func limitSize() {
        for table in known.indices where known[table].count > VisibilityCache.limit {
            known[table].removeAll(keepingCapacity: true)
        }
    }
}
