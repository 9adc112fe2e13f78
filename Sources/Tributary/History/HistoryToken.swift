/// A point in a store's history: everything up to and including one transaction.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The name of the store's history, another one once the store was set back; tokens of different ones do not
    /// compare.
    public let store: String
    /// The transaction's number.
    public let number: Int64

    /// Creates a token from its store and number.
    public init(store: String, number: Int64) {
        self.store = store
        self.number = number
    }

    /// Whether this token is earlier in history than the other.
    ///
    /// - Throws: ``HistoryError`` `foreignToken` when the tokens are of different stores: they do not compare.
    public func isEarlier(than other: HistoryToken) throws(HistoryError) -> Bool {
        guard store == other.store else { throw .foreignToken(other, store: store) }
        return number < other.number
    }
}
