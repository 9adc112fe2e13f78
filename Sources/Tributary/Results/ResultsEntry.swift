import TributaryChanges

/// An object among the results of a controller, with the values that it was sorted by.
struct ResultsEntry {
    let object: ManagedObject
    /// Of the section first.
    let keys: [PropertyValue]

    var id: ManagedObjectID { object.objectID }
}
