import TributaryChanges

/// Remembers which objects are visible, as far as it was asked or told.
///
/// Objects that the changes at hand are about to insert count as visible from the beginning: a reference to one of them
/// need not wait for it. ``ObjectMerger`` takes that back when the insert turns out to be superseded by a deletion.
final class VisibilityCache {
    private let objects: ObjectTables
    /// By table: whether anything can lead to its objects, so that it matters which are visible.
    private let isTarget: [Bool]
    /// By table.
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

    /// Whether the object counts as visible because it was, or is about to be inserted; false when nobody asked.
    func countsAsVisible(_ table: Int, _ id: UniqueID) -> Bool { known[table][id] == true }

    /// Remembers what has become of an object, or is about to.
    func set(_ table: Int, _ id: UniqueID, isVisible: Bool) {
        if isTarget[table] { known[table][id] = isVisible }
    }

    /// Forgets the tables of which too much is known; called between changes.
    func limitSize() {
        for table in known.indices where known[table].count > VisibilityCache.limit {
            known[table].removeAll(keepingCapacity: true)
        }
    }
}
