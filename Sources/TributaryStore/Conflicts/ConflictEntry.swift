import TributaryChanges

/// A new row of the conflict journal.
struct ConflictEntry {
    var kind: Conflict.Kind
    var rule: Conflict.Rule
    /// The name of the object's concrete entity, or of one that has the property when the object is not visible.
    var entity: String
    var id: UniqueID
    var property: String
    /// The number of the version of the write that does not stand.
    var losing: Int64
    var losingValue: JSONValue
    /// The number of the version of the write that stands.
    var winning: Int64
    /// Nil for a deletion.
    var winningValue: JSONValue?
    /// The values of an object that a deletion has removed, by property.
    var object: JSONValue?
}
