import TributaryStore

/// An object as a context has it and has not saved it.
struct UnsavedObject: Sendable {
    /// Nil when the context has deleted the object.
    var row: Row?
    /// Whether the store has never seen the object.
    var isInserted: Bool
}
