/// Writes the lines of a segment to a descriptor and hashes them.
///
/// ```swift
/// let writer = try SegmentWriter(descriptor: descriptor, file: path, header: header.line)
/// try writer.append(lines: transaction.lines, changes: transaction.changes.count)
/// let end = try writer.finish(last: header.last)
/// ```
package final class SegmentWriter {
    private let file: HashedFile
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    /// Writes the header line, given without its newline.
    package init(descriptor: Int32, file: String, header: String) throws(SegmentError) {
        self.file = HashedFile(descriptor: descriptor, file: file)
        try self.file.write(Array(header.utf8) + [0x0A])
    }

    /// Appends a whole transaction: its line and those of its changes, each with a newline; or a piece of it, with the
    /// number of changes at the last one.
    package func append(lines: [UInt8], changes count: Int?) throws(SegmentError) {
        try file.write(lines)
        guard let count else { return }
        transactions += 1
        changes += UInt64(count)
    }

    /// Writes the end line and returns it; the file is not synced yet.
    package func finish(last: UInt64) throws(SegmentError) -> SegmentEnd {
        var end = SegmentEnd(last: last, transactions: transactions, changes: changes, sha256: "")
        try file.end { hash in
            end.sha256 = hash
            return end.line
        }
        return end
    }
}
