import TestSupport
import TransactionLog
import TributaryChanges

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
