/// Objects that a save would write were changed in the store meanwhile, and the merge policy says to ask.
///
/// `context.refresh(_:mergeChanges:)` takes over the store's state; saving again then succeeds.
public struct ConflictError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One for each object.
    public var conflicts: [MergeConflict]

    /// One line for each object.
    public var description: String {
        conflicts.map { conflict in
            let here = conflict.isDeletion ? "deleted" : conflict.changedProperties.sorted().joined(separator: ", ")
            let there = conflict.stored == nil ? "deleted" : conflict.changedInStore.sorted().joined(separator: ", ")
            return "\(conflict.objectID): here \(here); in the store \(there)"
        }
        .joined(separator: "\n")
    }
}
