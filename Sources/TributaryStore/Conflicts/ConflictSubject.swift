import TributaryChanges

struct ConflictSubject {
    var table: Int
    var id: UniqueID
    /// The index of the concrete entity, if known.
    var entity: Int?
}
