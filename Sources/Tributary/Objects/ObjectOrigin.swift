import TributaryChanges

/// The initial values that a context gives an object; only contexts create one.
public struct ObjectOrigin {
    let descriptor: EntityDescriptor
    let uniqueID: UniqueID
    /// Nil for the object of a ``PropertyProbe``.
    let context: ManagedObjectContext?
}
