import TestSupport
package import TransactionLog
import TributaryChanges

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

extension SegmentText {
    func transactions() throws -> [LogTransaction] {
        let source = MemorySegment(bytes())
        let reader = SegmentReader(source, segment: try SegmentVerifier().verify(source, name: name))
        var found: [LogTransaction] = []
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header): found.append(LogTransaction(header: header, changes: []))
                case .changes(let changes): found[found.count - 1].changes += changes
                case .rows, .end: break
                }
            }
        }
        return found
    }
}
