import TributaryStore

struct UnsavedObject: Sendable {
    /// The row with the unsaved changes; nil when the context has deleted the object.
    var row: Row?
    /// Whether the store has never seen the object.
    var isInserted: Bool
}
