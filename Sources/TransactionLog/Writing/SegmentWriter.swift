package import TributaryChanges

package final class SegmentWriter {
    private let file: HashedFile
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    init(_ file: HashedFile, header: String) throws(SegmentError) {
        self.file = file
        try file.write(Array(header.utf8) + [0x0A])
    }

    /// Appends a whole transaction: its line and the lines of its changes, each with a newline.
    ///
    /// A piece of a transaction has the number of changes only at the last piece.
    package func append(lines: [UInt8], changes count: Int?) throws(SegmentError) {
        try file.write(lines)
        guard let count else { return }
        transactions += 1
        changes += UInt64(count)
    }

    /// Writes the end line and returns it; does not sync the file.
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
    /// A file of this name with the same bytes is the result of an earlier attempt, which is a success.
    ///
    /// - Parameters:
    ///   - name: The name of the segment.
    ///   - header: Its first line, without the newline.
    ///   - key: The key that signs it; nil for none.
    ///   - replaces: Whether it replaces a file of this name. A failure leaves that file in its place.
    ///   - isMarked: Whether ``isReady(_:)`` can later tell that the segment was not in its place.
    ///   - begin: Called with the end line when the whole file is on the disk, before it gets its name.
    ///   - body: Appends the transactions.
    /// - Returns: The end line.
    /// - Throws: ``SegmentError`` `forked` when something else has this name, `locked`, `incomplete` or `inputOutput`
    ///   when it cannot be compared; errors of `begin` and `body`.
    package func publish(
        _ name: SegmentName,
        header: String,
        signedBy key: SigningKey? = nil,
        replaces: Bool = false,
        isMarked: Bool = false,
        begin: (SegmentEnd) throws -> Void = { _ in },
        body: (SegmentWriter) throws -> Void
    ) throws -> SegmentEnd {
        let file = FilePublisher.Name(name, header: SegmentHeader.readable(header), replaces: replaces)
        return try FilePublisher(logs: self).publish(file, isMarked: isMarked, begin: begin) { file in
            let writer = try SegmentWriter(file, header: header)
            try body(writer)
            return try writer.finish(name, signedBy: key)
        }
    }

    /// Whether the last attempt to publish a marked segment has ended before the segment was in its place.
    ///
    /// When false, the segment may have been in its place, also when its file is gone or replaced now.
    package func isReady(_ name: SegmentName) -> Bool { FilePublisher(logs: self).isReady(.init(name)) }

    package func forgetReady(_ name: SegmentName) { FilePublisher(logs: self).forgetReady(.init(name)) }
}

extension FilePublisher.Name {
    fileprivate init(_ name: SegmentName, header: String? = nil, replaces: Bool = false) {
        self.init(writer: name.writer, fileName: name.fileName, header: header, replaces: replaces)
    }
}
