/// Transactions or a blob that a segment waits for, and who has them.
package struct MissingMessage: Codable, Hashable, Sendable {
    /// A writer whose machine has what is missing.
    package struct Holder: Codable, Hashable, Sendable {
        package var writer: String
        package var name: String?
        /// One of wrote, applied, and file for a folder that has a file with the blob's name.
        package var cause: String

        package init(writer: String, name: String?, cause: String) {
            self.writer = writer
            self.name = name
            self.cause = cause
        }
    }

    package var writer: String
    package var writerName: String?
    /// The first and the last missing transaction.
    package var first: UInt64?
    package var last: UInt64?
    package var blob: String?
    /// Those who have it, as far as is known here; its writer comes first.
    package var holders: [Holder]

    package init(writer: String, writerName: String?, holders: [Holder]) {
        self.writer = writer
        self.writerName = writerName
        self.holders = holders
    }
}
