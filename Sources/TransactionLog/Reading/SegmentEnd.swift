import TributaryChanges

/// The end line of a segment.
package struct SegmentEnd: Hashable, Sendable {
    package var last: UInt64
    package var transactions: UInt64
    package var changes: UInt64
    /// The lower-case hexadecimal SHA-256 of all bytes before this line.
    package var sha256: String

    package init(last: UInt64, transactions: UInt64, changes: UInt64, sha256: String) {
        self.last = last
        self.transactions = transactions
        self.changes = changes
        self.sha256 = sha256
    }

    /// Returns the hash in the form of the end line.
    package static func sha256(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    /// The line without its newline.
    package var line: String {
        "{\"end\":\(last),\"transactions\":\(transactions),\"changes\":\(changes),\"sha256\":\"\(sha256)\"}"
    }
}
