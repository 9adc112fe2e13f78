import TributaryChanges

/// Selects transactions and changes of history.
package struct HistoryQuery: Sendable {
    package var author: String?
    package var excludedAuthor: String?
    package var contextName: String?
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

    /// Returns the selected part of the transaction; nil when the query selects no change of it.
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
