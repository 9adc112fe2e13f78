import TributaryChanges

/// An object that is not visible, in whose registers a conflict is found.
struct ConflictSubject {
    /// The index of the object's table.
    var table: Int
    var id: UniqueID
    /// The index of the concrete entity, if known.
    var entity: Int?
}
