/// An error of a save whose objects were changed in the store meanwhile, under the merge policy `error`.
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
