package import TributaryChanges

/// Finds the line numbers of transactions in a segment, without reading their changes.
package enum TransactionLines {
    /// Returns the line number, from 1, of each transaction that is found; empty for a file that is no segment.
    package static func find(
        _ sequences: Set<UInt64>,
        in source: some SegmentBytes,
        writer: UniqueID
    ) -> [UInt64: Int] {
        guard let last = sequences.max(), let tail = try? SegmentTail.read(source), tail.offset > 0 else { return [:] }
        let lines = SegmentLineReader(source, bounds: 0..<tail.offset)
        var found: [UInt64: Int] = [:]
        do {
            guard try lines.next() != nil else { return [:] }
            while let line = try lines.next() {
                let header = try TransactionHeader(line: line, writer: writer)
                if sequences.contains(header.sequence) { found[header.sequence] = lines.line }
                guard header.sequence < last else { break }
                for _ in 0..<header.changeCount {
                    guard try lines.next() != nil else { return found }
                }
            }
        } catch {
            // The file was changed or removed meanwhile; the transactions found before are returned.
        }
        return found
    }
}
