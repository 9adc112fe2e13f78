/// The last event of `POST /v1/backup` as a stream of events.
package struct BackupMessage: Codable, Hashable, Sendable {
    package var bytes: Int64
    package var sha256: String
    package var missingValues: Int
    /// A copy on another machine does not keep this label.
    package var store: String

    package init(bytes: Int64, sha256: String, missingValues: Int, store: String) {
        self.bytes = bytes
        self.sha256 = sha256
        self.missingValues = missingValues
        self.store = store
    }
}
