package import TributaryChanges

package final class TransactionDigests {
    private let lines: SegmentLineReader
    private let writer: UniqueID
    private var isBegun = false
    private var current: (sequence: UInt64, digest: SHA256.Digest)?

    package init(_ source: some SegmentBytes, _ tail: SegmentTail, writer: UniqueID) {
        lines = SegmentLineReader(source, bounds: 0..<tail.offset)
        self.writer = writer
    }

    /// Nil when the segment lacks the transaction; sequences must ascend from call to call.
    package func digest(of sequence: UInt64) throws(SegmentError) -> SHA256.Digest? {
        while current.map({ $0.sequence < sequence }) ?? true {
            current = try next()
            guard current != nil else { return nil }
        }
        return current?.sequence == sequence ? current?.digest : nil
    }

    package func next() throws(SegmentError) -> (sequence: UInt64, digest: SHA256.Digest)? {
        if !isBegun {
            isBegun = true
            guard try lines.next() != nil else { return nil }
        }
        guard let line = try lines.next() else { return nil }
        let header: TransactionHeader
        do throws(JSONError) { header = try TransactionHeader(line: line, writer: writer) } catch {
            throw SegmentError(.changed, file: "\(writer)", line: lines.line, reason: error.reason)
        }
        var hash = SHA256()
        TransactionDigests.add(line, to: &hash)
        for _ in 0..<header.changeCount {
            guard let line = try lines.next() else { return nil }
            TransactionDigests.add(line, to: &hash)
        }
        return (header.sequence, hash.finalize())
    }

    private static func add(_ line: UnsafeBufferPointer<UInt8>, to hash: inout SHA256) {
        hash.update(bufferPointer: UnsafeRawBufferPointer(line))
        withUnsafeBytes(of: UInt8(ascii: "\n")) { hash.update(bufferPointer: $0) }
    }
}

package enum TransactionLines {
    /// Returns line numbers from 1; empty when the file is not a segment.
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
