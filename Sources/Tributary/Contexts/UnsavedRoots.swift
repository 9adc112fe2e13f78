/// The root entities that unsaved changes concern, by index; perhaps also some that they do not concern any more.
struct UnsavedRoots {
    /// Of changed objects.
    var changed: Set<Int> = []
    /// Of deleted objects.
    var deleted: Set<Int> = []
    /// Relationships of which some object's has changed.
    var relationships: Set<RelationshipDelta.Identity> = []
}
