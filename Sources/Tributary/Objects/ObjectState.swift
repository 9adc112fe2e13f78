/// The state of an object between its context and the store.
public enum ObjectState: String, Sendable, Hashable {
    /// New in the context, not saved yet.
    case inserted
    /// Unchanged since the last read or save, or a fault.
    case clean
    /// Changed in the context, not saved yet.
    case updated
    /// Deleted in the context, not saved yet.
    case deleted
    /// Deleted in the store, by this context's save, another context or another machine. ID and last values stay.
    case gone
    /// The context was reset or its container closed.
    case detached

    /// Whether lists of related objects may omit the object.
    var isDeletion: Bool { self == .deleted || self == .gone }
}
