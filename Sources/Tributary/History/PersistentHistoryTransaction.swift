public import Foundation
public import TributaryChanges

/// The changes of one save, one batch or one imported transaction.
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// The point in history right after the transaction.
    public let token: HistoryToken
    /// The number of the transaction in its store.
    public var number: Int64 { token.number }
    /// The time of the commit in this store.
    public let timestamp: Date
    /// The author of the changes.
    public let author: String?
    /// The name of the context; nil for imported transactions.
    public let contextName: String?
    /// The writer: the store whose process made the transaction, this one's or a peer's.
    public let process: UniqueID
    /// The changes in no particular order, except that changes of one object are in the order in which they were made.
    public let changes: [PersistentHistoryChange]
}
