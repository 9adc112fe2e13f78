/// The answer of `POST /v1/sync`.
package struct SyncMessage: Codable, Hashable, Sendable {
    package struct Amount: Codable, Hashable, Sendable {
        package var segments: Int?
        package var transactions: Int
        package var changes: Int?

        package init(segments: Int?, transactions: Int, changes: Int?) {
            self.segments = segments
            self.transactions = transactions
            self.changes = changes
        }
    }

    package var imported: Amount
    package var merged: Amount
    package var exported: Amount
    /// Segments that could not be applied, by state.
    package var remaining: [String: Int]
    package var token: String

    package init(imported: Amount, merged: Amount, exported: Amount, remaining: [String: Int], token: String) {
        self.imported = imported
        self.merged = merged
        self.exported = exported
        self.remaining = remaining
        self.token = token
    }
}
