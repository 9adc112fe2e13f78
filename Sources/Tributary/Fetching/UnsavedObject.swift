import TributaryStore

/// The unsaved state of an object in a context.
struct UnsavedObject: Sendable {
    /// The row with the unsaved changes; nil when the context has deleted the object.
    var row: Row?
    /// Whether the store has never seen the object.
    var isInserted: Bool
}
