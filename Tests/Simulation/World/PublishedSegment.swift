package import TransactionLog

/// A segment as its writer wrote it.
package struct PublishedSegment: Sendable {
    package let name: SegmentName
    package let bytes: [UInt8]

    /// The hash of all lines but the last one.
    var sha256: String {
        let end = bytes.dropLast().lastIndex(of: 0x0A) ?? 0
        return SegmentEnd.sha256(of: Array(bytes[...end]))
    }
}
