package import TributaryChanges

/// Writes the lines of a segment and hashes them.
package final class SegmentWriter {
    private let file: HashedFile
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    init(_ file: HashedFile, header: String) throws(SegmentError) {
        self.file = file
        try file.write(Array(header.utf8) + [0x0A])
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
    func finish(_ name: SegmentName, signedBy key: SigningKey?) throws(SegmentError) -> SegmentEnd {
        let hash = file.digest()
        let end = SegmentEnd(
            last: name.last,
            transactions: transactions,
            changes: changes,
            sha256: hash,
            signature: key?.sign(SignedText.of(name.path, hash))
        )
        try file.finish(with: end.line)
        return end
    }
}

extension LogFolder {
    /// Writes a segment and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt and counts as success.
    ///
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes; what `body` throws.
    package func publish(
        _ name: SegmentName,
        header: String,
        signedBy key: SigningKey? = nil,
        body: (SegmentWriter) throws -> Void
    ) throws -> SegmentEnd {
        try FilePublisher(logs: self).publish(
            .init(writer: name.writer, fileName: name.fileName, header: SegmentHeader.readable(header))
        ) {
            file in
            let writer = try SegmentWriter(file, header: header)
            try body(writer)
            return try writer.finish(name, signedBy: key)
        }
    }
}
