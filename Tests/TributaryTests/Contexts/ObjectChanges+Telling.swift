import TestSupport
import Tributary

extension ObjectChanges {
    /// Whether the set tells of so many new objects, listed, or collapsed where the run's mailbox limit is lower.
    func tells(ofInserted count: Int) -> Bool {
        if MailboxLimit.collapses(count) { return isEverything || !collapsedEntities.isEmpty }
        return inserted.count == count
    }

    /// Whether the set tells of the object, listed or not.
    func tells(of id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id) || deleted.contains(id) || MailboxLimit.asked != nil && covers(id)
    }
}
