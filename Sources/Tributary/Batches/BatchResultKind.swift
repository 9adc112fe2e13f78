/// The contents of a batch's result.
public enum BatchResultKind: String, Sendable, Hashable, CaseIterable {
    /// Only the success of the batch.
    case status
    /// The number of objects that were written.
    case count
    /// The IDs of the objects that were written; it takes memory for each.
    case objectIDs
}
