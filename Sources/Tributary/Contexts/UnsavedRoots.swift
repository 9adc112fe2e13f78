/// The root entities of unsaved changes, by index; entities without changes may be among them.
struct UnsavedRoots {
    var changed: Set<Int> = []
    var deleted: Set<Int> = []
    /// The relationships that have changed on some object.
    var relationships: Set<RelationshipDelta.Identity> = []
}
