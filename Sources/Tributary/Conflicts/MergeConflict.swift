public import TributaryChanges
import TributaryStore

/// An object that was changed both in a context and in the store.
public struct MergeConflict: Hashable, Sendable {
    /// The ID of the object.
    public var objectID: ManagedObjectID
    /// The properties that the context changed; empty when it deleted the object.
    public var changedProperties: Set<String>
    /// The properties that changed in the store since the context read the object, and its to-many relationships
    /// that have got objects from others.
    public var changedInStore: Set<String>
    /// The object as the context had read it.
    public var cached: ObjectSnapshot
    /// The current object in the store; nil when it was deleted there.
    public var stored: ObjectSnapshot?
    /// Whether the context deleted the object.
    public var isDeletion: Bool
}

extension MergeConflict {
    init(
        _ object: ManagedObject,
        _ cached: Row,
        _ stored: Row?,
        _ linked: Set<String> = [],
        in context: ManagedObjectContext
    ) {
        // Large values are read only when the resolver or the thrown error shows them.
        let isSeen = context.resolveConflict != nil || context.mergePolicy == .error
        let whole = { isSeen ? context.store.readable($0) : $0 }
        self.init(
            objectID: object.objectID,
            changedProperties: object.state.isDeletion
                ? [] : Set(object.changed.propertyIndexes.map { object.descriptor.entity.properties[$0].name }),
            changedInStore: stored.map { cached.differences(to: $0).union(linked) } ?? [],
            cached: cached.snapshot(whole),
            stored: stored?.snapshot(whole),
            isDeletion: object.state.isDeletion
        )
    }
}

/// A conflict of objects that would share a unique key after a save.
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that states the constraint.
    public var entity: String
    /// The properties that are unique together.
    public var properties: [String]
    /// The values that the objects share, in the order of the properties.
    public var values: [PropertyValue]
    /// The objects of the context, in the order of their first changes.
    public var objectIDs: [ManagedObjectID]
    /// The object that has the key in the store; nil when the objects of the context conflict with each other.
    public var stored: ObjectSnapshot?
}

/// How a save resolves a conflict with an object that was changed in the store after the context had read it.
///
/// A conflict exists when the object's row has a newer revision, even if other properties were changed. A link from the
/// other side is a conflict too, where it may affect the saved values: see <doc:Conflicts>.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save throws the conflicts; the default of background contexts.
    case error
    /// The properties that the context changed keep the context's values; the default of the view context.
    case objectTrump
    /// The properties that the store changed keep the store's values.
    case storeTrump
    /// All properties of the object get the context's values.
    case overwrite
    /// The context's changes to the object are dropped.
    case rollback
}

/// An error of a save under the merge policy `error`: its objects were changed in the store meanwhile.
///
/// `context.refresh(_:mergeChanges:)` merges the store's state; saving again then succeeds.
public struct ConflictError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The conflicts, one for each object.
    public var conflicts: [MergeConflict]
    /// The conflicts of unique keys, one for each key that several objects would have.
    public var constraintConflicts: [ConstraintConflict] = []

    /// A description with one line for each object and each key.
    public var description: String {
        let keys = constraintConflicts.map { conflict in
            let ids = conflict.objectIDs.map(\.description) + (conflict.stored.map { [$0.id.description] } ?? [])
            let properties = conflict.properties.joined(separator: ", ")
            return "\(ids.joined(separator: ", ")) would have the same \(conflict.entity) \(properties)"
        }
        let objects = conflicts.map { conflict in
            let here = conflict.isDeletion ? "deleted" : conflict.changedProperties.sorted().joined(separator: ", ")
            let there = conflict.stored == nil ? "deleted" : conflict.changedInStore.sorted().joined(separator: ", ")
            return "\(conflict.objectID): here \(here); in the store \(there)"
        }
        return (objects + keys).joined(separator: "\n")
    }
}
