public import TributaryChanges

/// The result of a batch, with the contents that the request asked for.
public struct BatchResult: Sendable, Hashable {
    /// The contents that the request asked for.
    public let kind: BatchResultKind
    /// The number of inserted, updated or deleted objects, including those deleted by Cascade rules.
    ///
    /// An object that already had the values does not count.
    public let count: Int
    /// The IDs of these objects when the request asked for them; otherwise empty.
    public let objectIDs: [ManagedObjectID]
    /// The batch's transaction; nil when there was nothing to write.
    public let token: HistoryToken?
}

/// The contents of a batch's result.
public enum BatchResultKind: String, Sendable, Hashable, CaseIterable {
    /// Only the success of the batch.
    case status
    /// The number of objects that were written.
    case count
    /// The IDs of the objects that were written; it takes memory for each.
    case objectIDs
}
