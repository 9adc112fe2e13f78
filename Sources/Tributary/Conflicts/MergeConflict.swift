public import TributaryChanges
import TributaryStore

/// An object that was changed both in a context and in the store.
public struct MergeConflict: Hashable, Sendable {
    /// The ID of the object.
    public var objectID: ManagedObjectID
    /// The properties that the context changed; empty when it deleted the object.
    public var changedProperties: Set<String>
    /// The properties that changed in the store since the context read the object.
    public var changedInStore: Set<String>
    /// The object as the context had read it.
    public var cached: ObjectSnapshot
    /// The current object in the store; nil when it was deleted there.
    public var stored: ObjectSnapshot?
    /// Whether the context deleted the object.
    public var isDeletion: Bool
}

extension MergeConflict {
    init(_ object: ManagedObject, _ cached: Row, _ stored: Row?, in context: ManagedObjectContext) {
        // Large values are read only when the resolver or the thrown error shows them.
        let isSeen = context.resolveConflict != nil || context.mergePolicy == .error
        let whole = { isSeen ? context.store.readable($0) : $0 }
        self.init(
            objectID: object.objectID,
            changedProperties: object.state == .deleted
                ? [] : Set(object.changed.propertyIndexes.map { object.descriptor.entity.properties[$0].name }),
            changedInStore: stored.map { cached.differences(to: $0) } ?? [],
            cached: cached.snapshot(whole),
            stored: stored?.snapshot(whole),
            isDeletion: object.state == .deleted
        )
    }
}

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
