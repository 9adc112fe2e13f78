/// What a save does about an object that was changed in the store after the context had read it.
///
/// A conflict exists when the object's row has moved, even if other properties were changed.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save throws the conflicts. The default of background contexts.
    case error
    /// What the context changed stands, property by property. The default of the view context.
    case objectTrump
    /// What the store has stands, property by property.
    case storeTrump
    /// The context's whole object stands.
    case overwrite
    /// The context's changes to the object are dropped.
    case rollback
}
