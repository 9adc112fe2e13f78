public import TributaryChanges

/// The changes in a context since the previous notification, made by the context itself or by a merge.
public struct ObjectsDidChange: Sendable {
    /// Objects that were inserted here, or that a merge announced.
    public internal(set) var inserted: Set<ManagedObjectID> = []
    /// Objects with changed values or relationships.
    public internal(set) var updated: Set<ManagedObjectID> = []
    /// Objects that were deleted here, or that a merge found deleted.
    public internal(set) var deleted: Set<ManagedObjectID> = []
    /// Unsaved edits that were dropped, because the object was deleted elsewhere: the values that the context had set.
    public internal(set) var discarded: [ObjectSnapshot] = []
    /// Whether objects that are not listed may have changed as well, because a merge was too large to list.
    public internal(set) var isEverything = false

    /// The merged changes, including objects that the context does not have.
    var merged = ObjectChanges()

    init() {}

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && discarded.isEmpty && merged.isEmpty && !isEverything
    }

    mutating func addDeletion(of id: ManagedObjectID) {
        updated.remove(id)
        if inserted.remove(id) == nil { deleted.insert(id) }
    }

    mutating func addUpdate(of id: ManagedObjectID) {
        guard !inserted.contains(id), !deleted.contains(id) else { return }
        updated.insert(id)
    }
}
