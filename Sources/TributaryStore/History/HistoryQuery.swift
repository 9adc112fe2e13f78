import TributaryChanges

/// Which transactions and changes of history are asked for.
package struct HistoryQuery: Sendable {
    package var author: String?
    package var excludedAuthor: String?
    package var contextName: String?
    /// Names of concrete entities; nil for all.
    package var entities: Set<String>?

    package init(
        author: String? = nil,
        excludedAuthor: String? = nil,
        contextName: String? = nil,
        entities: Set<String>? = nil
    ) {
        self.author = author
        self.excludedAuthor = excludedAuthor
        self.contextName = contextName
        self.entities = entities
    }

    /// The transaction as far as it is asked for; nil when none of it is.
    package func apply(to transaction: HistoryTransaction) -> HistoryTransaction? {
        if let author, transaction.author != author { return nil }
        if let excludedAuthor, transaction.author == excludedAuthor { return nil }
        if let contextName, transaction.contextName != contextName { return nil }
        guard let entities else { return transaction }
        var filtered = transaction
        filtered.changes.removeAll { !entities.contains($0.id.entity) }
        return filtered.changes.isEmpty ? nil : filtered
    }
}
