public import TributaryChanges

/// A conflict of objects that a save would give one unique key.
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that states the constraint.
    public var entity: String
    /// The properties that are unique together.
    public var properties: [String]
    /// The values that the objects share, in the order of the properties.
    public var values: [PropertyValue]
    /// The objects of the context, in the order in which they were changed.
    public var objectIDs: [ManagedObjectID]
    /// The object that has the key in the store; nil when the objects of the context conflict with each other.
    public var stored: ObjectSnapshot?
}
