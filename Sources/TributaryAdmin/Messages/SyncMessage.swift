import TributaryChanges

/// The response of `POST /v1/sync`.
package struct SyncMessage: Codable, Hashable, Sendable {
    package struct Merged: Codable, Hashable, Sendable {
        package var inserted: Int
        package var updated: Int
        package var deleted: Int
        package var everything: Bool?

        package init(inserted: Int, updated: Int, deleted: Int, everything: Bool?) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
            self.everything = everything
        }
    }

    package var imported: ImportCounts
    package var merged: Merged
    package var exported: ImportCounts
    package var remaining: [String: Int]
    package var token: String
    package var problems: [Problem]?

    package init(
        imported: ImportCounts,
        merged: Merged,
        exported: ImportCounts,
        remaining: [String: Int],
        token: String
    ) {
        self.imported = imported
        self.merged = merged
        self.exported = exported
        self.remaining = remaining
        self.token = token
    }
}

package struct ImportCounts: Codable, Hashable, Sendable {
    /// The number of segments that were included to their last transaction.
    package var segments = 0
    package var transactions = 0
    package var changes = 0

    package init(segments: Int = 0, transactions: Int = 0, changes: Int = 0) {
        self.segments = segments
        self.transactions = transactions
        self.changes = changes
    }

    package static func + (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        ImportCounts(
            segments: left.segments.addingSaturating(right.segments),
            transactions: left.transactions.addingSaturating(right.transactions),
            changes: left.changes.addingSaturating(right.changes)
        )
    }

    package static func - (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        ImportCounts(
            segments: left.segments - right.segments,
            transactions: left.transactions - right.transactions,
            changes: left.changes - right.changes
        )
    }
}
