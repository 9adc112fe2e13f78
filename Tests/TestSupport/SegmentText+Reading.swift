package import TransactionLog
package import TributaryChanges

extension SegmentText {
    package func transactions() throws -> [LogTransaction] {
        let source = MemorySegment(bytes())
        return try SegmentText.transactions(of: try SegmentVerifier().verify(source, name: name), in: source)
    }

    package static func transactions(
        of segment: VerifiedSegment,
        in source: some SegmentBytes
    ) throws -> [LogTransaction] {
        let reader = SegmentReader(source, segment: segment)
        var found: [LogTransaction] = []
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header): found.append(LogTransaction(header: header, changes: []))
                case .changes(let changes): found[found.count - 1].changes += changes
                case .rows(let run): found[found.count - 1].changes += run.changes
                case .end: break
                }
            }
        }
        return found
    }
}
