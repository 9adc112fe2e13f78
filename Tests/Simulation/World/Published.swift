import TestSupport
package import TransactionLog
import TributaryChanges

/// A segment as its writer, or a copy of its writer, wrote it.
package struct PublishedSegment: Hashable, Sendable {
    package let name: SegmentName
    package let bytes: [UInt8]

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    func read() throws -> (header: SegmentHeader, transactions: [LogTransaction]) {
        let source = MemorySegment(bytes)
        let segment = try SegmentVerifier().verify(source, name: name)
        return (segment.header, try SegmentText.transactions(of: segment, in: source))
    }
}

/// A baseline as its writer wrote it.
struct PublishedBaseline {
    let name: BaselineName
    let bytes: [UInt8]
    /// The last transaction of each writer in it.
    let vector: [UniqueID: UInt64]
    var isRemoved = false

    init(name: BaselineName, bytes: [UInt8]) throws {
        (self.name, self.bytes) = (name, bytes)
        let writers = try VerifiedBaseline.verify(MemorySegment(bytes)).writers
        vector = Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first }
    }
}
