import TestSupport
import Tributary

extension ObjectChanges {
    /// Whether the set tells of so many new objects, listed, or collapsed where the run's limit of pending changes is lower.
    func tells(ofInserted count: Int) -> Bool {
        if PendingLimit.collapses(count) { return isEverything || !collapsedEntities.isEmpty }
        return inserted.count == count
    }

    /// Whether the set tells of the object, listed or not.
    func tells(of id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id) || deleted.contains(id) || PendingLimit.asked != nil && covers(id)
    }
}
