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
