/// Which part of history is wanted; everything unless it says otherwise.
public struct HistoryFilter: Sendable, Hashable {
    /// Only transactions of this author.
    public var author: String?
    /// No transactions of this author: a consumer's own, say.
    public var excludedAuthor: String?
    /// Only transactions of contexts of this name.
    public var contextName: String?
    /// Only changes of objects of these concrete entities, and only transactions that have some.
    public var entityNames: Set<String>?

    /// Everything.
    public init() {}
}
