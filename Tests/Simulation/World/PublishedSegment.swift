package import TransactionLog

/// A segment as its writer wrote it.
package struct PublishedSegment: Sendable {
    package let name: SegmentName
    package let bytes: [UInt8]
}
