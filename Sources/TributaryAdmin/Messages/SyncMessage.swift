/// The response of `POST /v1/sync`.
package struct SyncMessage: Codable, Hashable, Sendable {
    package struct Amount: Codable, Hashable, Sendable {
        package var segments: Int
        package var transactions: Int
        package var changes: Int

        package init(segments: Int, transactions: Int, changes: Int) {
            self.segments = segments
            self.transactions = transactions
            self.changes = changes
        }
    }

    /// The objects that the merge changed in the main context.
    package struct Merged: Codable, Hashable, Sendable {
        package var inserted: Int
        package var updated: Int
        package var deleted: Int
        /// True when the merge changed too many objects to count each one.
        package var everything: Bool?

        package init(inserted: Int, updated: Int, deleted: Int, everything: Bool?) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
            self.everything = everything
        }
    }

    package var imported: Amount
    package var merged: Merged
    package var exported: Amount
    package var remaining: [String: Int]
    package var token: String
    package var problems: [Problem]?

    package init(imported: Amount, merged: Merged, exported: Amount, remaining: [String: Int], token: String) {
        self.imported = imported
        self.merged = merged
        self.exported = exported
        self.remaining = remaining
        self.token = token
    }
}
