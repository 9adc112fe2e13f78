import TributaryChanges

/// An object among the results of a controller, with the values that it was sorted by.
final class ResultsEntry {
    let object: ManagedObject
    let id: ManagedObjectID
    /// Of the section first.
    let keys: [PropertyValue]

    init(object: ManagedObject, keys: [PropertyValue]) {
        self.object = object
        id = object.objectID
        self.keys = keys
    }
}
