/// How a save resolves a conflict with an object that was changed in the store after the context had read it.
///
/// A conflict exists when the object's row has a newer revision, even if other properties were changed.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save throws the conflicts. The default of background contexts.
    case error
    /// The properties that the context changed keep the context's values. The default of the view context.
    case objectTrump
    /// The properties that the store changed keep the store's values.
    case storeTrump
    /// All properties of the object get the context's values.
    case overwrite
    /// The context's changes to the object are dropped.
    case rollback
}
