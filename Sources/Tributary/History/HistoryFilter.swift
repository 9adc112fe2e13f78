/// The part of history that a request returns; everything by default.
public struct HistoryFilter: Sendable, Hashable {
    /// Only transactions of this author.
    public var author: String?
    /// No transactions of this author, for example a consumer's own.
    public var excludedAuthor: String?
    /// Only transactions of contexts of this name.
    public var contextName: String?
    /// Only changes of objects of these concrete entities, and only transactions with such changes.
    public var entityNames: Set<String>?

    /// Creates a filter that accepts everything.
    public init() {}
}
