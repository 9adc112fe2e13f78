import TributaryChanges

/// A result of a controller, with the values by which it is sorted.
struct ResultsEntry {
    let object: ManagedObject
    /// The sort values; that of the section comes first.
    let keys: [PropertyValue]

    var id: ManagedObjectID { object.objectID }
}
