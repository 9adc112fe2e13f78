import TributaryChanges

/// What few objects need, kept apart so that the others stay small.
final class ObjectExtras {
    /// Why the row, or a value that lies beside the store, could not be read.
    var faultError: ContextError?
    /// Whether the context's `onInaccessibleFault` was called for the object.
    var wasReported = false
    /// Whether the object was deleted before it was ever saved.
    var isUnsaved = false
    /// By slot: what the store says of a to-many, or of the derived side of a one-to-one.
    var related: [Int: [ManagedObjectID]] = [:]
    /// By slot: what lies beside the store, once it has been read.
    var blobs: [Int: (reference: PropertyValue, value: PropertyValue)] = [:]

    /// The object has other values now.
    func forgetReading() {
        faultError = nil
        blobs = [:]
    }
}
