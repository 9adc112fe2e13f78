/// The root entities of unsaved changes, by index; entities without changes may be among them.
struct UnsavedRoots {
    /// The root entities of changed objects.
    var changed: Set<Int> = []
    /// The root entities of deleted objects.
    var deleted: Set<Int> = []
    /// The relationships that have changed on some object.
    var relationships: Set<RelationshipDelta.Identity> = []
}
