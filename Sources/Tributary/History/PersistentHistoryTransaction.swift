public import TributaryChanges

/// What one save, one batch or one imported transaction has changed.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The place in history right after it.
    public let token: HistoryToken
    /// Counts the store's transactions.
    public var number: Int64 { token.number }
    /// Unix seconds of the commit in this store.
    public let timestamp: Double
    /// Who made the changes.
    public let author: String?
    /// The name of the context; nil for imported transactions.
    public let contextName: String?
    /// The writer: the store whose process made the transaction, this one's or a peer's.
    public let process: UniqueID
    /// In no order to rely on, but that changes of one object are in the order in which they were made.
    public let changes: [PersistentHistoryChange]
}
