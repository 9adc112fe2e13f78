import TestSupport
import TransactionLog
import TributaryChanges

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
