package import TributaryChanges

/// The lines on which transactions of a segment begin, found without reading their changes.
package enum TransactionLines {
    /// The line, counted from 1, of each of the transactions that is found; nothing of a file that is no segment.
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
            // The file was changed or is gone: what was found before counts.
        }
        return found
    }
}
