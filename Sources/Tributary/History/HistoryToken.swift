/// A point in a store's history: everything up to and including one transaction.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The ID of the store's own writer when the token was made; tokens of different stores do not compare.
    public let store: String
    /// The transaction's number.
    public let number: Int64

    /// Creates a token from its store and number.
    public init(store: String, number: Int64) {
        self.store = store
        self.number = number
    }
}
