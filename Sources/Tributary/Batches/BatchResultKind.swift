/// What the result of a batch contains.
public enum BatchResultKind: String, Sendable, Hashable, CaseIterable {
    /// Only that it was done.
    case status
    /// How many objects were written.
    case count
    /// Which objects were written; it takes memory for each.
    case objectIDs
}
