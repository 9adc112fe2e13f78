import Synchronization
public import TributaryChanges

/// A change of one object, from ``ManagedObject/updates()``.
public enum ObjectUpdate: Sendable, Hashable {
    /// The object has changed, here or by a merge; the snapshot has its current values, unsaved ones included.
    case changed(ObjectSnapshot)
    /// The object was deleted, here or elsewhere.
    case deleted(ManagedObjectID)
}
