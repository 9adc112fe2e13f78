public import TributaryChanges

/// What a batch has done, as far as the request asked.
public struct BatchResult: Sendable, Hashable {
    /// What the request asked for.
    public let kind: BatchResultKind
    /// How many objects were inserted, updated or deleted, those of Cascade included; an object that had the values
    /// already does not count.
    public let count: Int
    /// Their IDs when the request asked for them; else empty.
    public let objectIDs: [ManagedObjectID]
    /// The batch's transaction; nil when there was nothing to write.
    public let token: HistoryToken?
}
