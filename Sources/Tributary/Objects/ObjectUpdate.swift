import Synchronization
public import TributaryChanges

/// What happened to one object, from ``ManagedObject/updates()``.
public enum ObjectUpdate: Sendable, Hashable {
    /// It has changed, here or by a merge: its values now, unsaved ones included.
    case changed(ObjectSnapshot)
    /// It was deleted, here or elsewhere.
    case deleted(ManagedObjectID)
}
