package import TributaryChanges

/// What a context's save hands to the store: changes in the log's terms, in order.
package struct LocalTransaction: Sendable {
    package var author: String?
    package var contextName: String?
    package var changes: [Change]
    /// Stored with the transaction so that a repeated request gets the first answer.
    package var idempotency: Idempotency?

    package init(
        author: String? = nil,
        contextName: String? = nil,
        changes: [Change],
        idempotency: Idempotency? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.changes = changes
        self.idempotency = idempotency
    }

    package struct Idempotency: Sendable {
        package var key: String
        /// What the caller needs, besides the transaction's number, to say its answer again.
        package var detail: String

        package init(key: String, detail: String) {
            self.key = key
            self.detail = detail
        }
    }
}
