package import TributaryChanges

/// The transactions of a segment one after the other, each by the hash of its lines.
package final class TransactionDigests {
    private let lines: SegmentLineReader
    private let writer: UniqueID
    private var isBegun = false

    /// - Parameters:
    ///   - source: a segment that was verified.
    ///   - tail: its end line.
    ///   - writer: its writer.
    package init(_ source: some SegmentBytes, _ tail: SegmentTail, writer: UniqueID) {
        lines = SegmentLineReader(source, bounds: 0..<tail.offset)
        self.writer = writer
    }

    /// The next transaction; nil at the end.
    ///
    /// - Throws: ``SegmentError`` when the system cannot read the file, or it is not the one that was verified.
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
