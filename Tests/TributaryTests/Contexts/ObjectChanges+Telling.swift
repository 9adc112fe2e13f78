import TestSupport
import Tributary

extension ObjectChanges {
    /// Whether the set has the number of new objects, listed, or collapsed by a lower limit of pending changes.
    func tells(ofInserted count: Int) -> Bool {
        if PendingLimit.collapses(count) { return isEverything || !collapsedEntities.isEmpty }
        return inserted.count == count
    }

    /// Whether the set covers the object, listed or not.
    func tells(of id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id) || deleted.contains(id) || PendingLimit.asked != nil && covers(id)
    }
}
