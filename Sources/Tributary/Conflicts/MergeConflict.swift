public import TributaryChanges

/// An object that was changed both in a context and in the store.
public struct MergeConflict: Hashable, Sendable {
    /// Which object.
    public var objectID: ManagedObjectID
    /// What the context changed; empty when it deleted the object.
    public var changedProperties: Set<String>
    /// What changed in the store since the context had read the object.
    public var changedInStore: Set<String>
    /// The object as the context had read it.
    public var cached: ObjectSnapshot
    /// The object as it stands in the store; nil when it was deleted there.
    public var stored: ObjectSnapshot?
    /// Whether the context deleted the object.
    public var isDeletion: Bool
}
