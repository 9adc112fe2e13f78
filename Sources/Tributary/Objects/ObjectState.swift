/// Where an object stands between its context and the store.
public enum ObjectState: String, Sendable, Hashable {
    /// New in the context, not saved yet.
    case inserted
    /// As in the store, or a fault.
    case clean
    /// Changed in the context, not saved yet.
    case updated
    /// Deleted in the context, not saved yet.
    case deleted
    /// The row is gone: another context or machine deleted it, or this one did and has saved. ID and last values stay.
    case gone
    /// The context was reset or its container closed.
    case detached

    /// Whether lists of related objects may leave the object out.
    var isDeletion: Bool { self == .deleted || self == .gone }
}
