import Logging

/// The number of imported or exported segments, transactions and changes.
package struct ImportCounts: Sendable, Hashable {
    /// The number of segments whose last transaction was included.
    package var segments = 0
    package var transactions = 0
    package var changes = 0

    package static func + (left: ImportCounts, right: ImportCounts) -> ImportCounts {
        ImportCounts(
            segments: left.segments + right.segments,
            transactions: left.transactions + right.transactions,
            changes: left.changes + right.changes
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

extension ImportCounts {
    var journalMetadata: Logger.Metadata {
        ["segments": "\(segments)", "transactions": "\(transactions)", "changes": "\(changes)"]
    }

    var journalText: String {
        [(segments, "segment"), (transactions, "transaction"), (changes, "change")]
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }
}
