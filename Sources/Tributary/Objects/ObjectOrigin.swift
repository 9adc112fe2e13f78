import TributaryChanges

/// What a context gives an object at its start; only contexts make one.
public struct ObjectOrigin {
    let kind: ObjectKind
    let uniqueID: UniqueID
    /// Nil for the object of a ``PropertyProbe``.
    let context: ManagedObjectContext?
}
