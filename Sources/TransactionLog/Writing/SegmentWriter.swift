package import TributaryChanges

package final class SegmentWriter {
    private let file: HashedFile
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    init(_ file: HashedFile, header: String) throws(SegmentError) {
        self.file = file
        try file.write(Array(header.utf8) + [0x0A])
    }

    /// `count` is the number of changes of the whole transaction; nil except with its last piece.
    package func append(lines: [UInt8], changes count: Int?) throws(SegmentError) {
        try file.write(lines)
        guard let count else { return }
        transactions += 1
        changes += UInt64(count)
    }

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
    /// Writes a segment and renames it to its final name; `header` has no newline.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt, which is a success. Another file is
    /// left alone, unless `replaces` is true. If `isMarked`, ``isReady(_:)`` can later tell whether the segment was
    /// published. `begin` is called before the rename, when the whole file is on the disk.
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

    /// False when the segment may have been published, even if its file is gone or replaced now.
    package func isReady(_ name: SegmentName) -> Bool { FilePublisher(logs: self).isReady(.init(name)) }

    package func forgetReady(_ name: SegmentName) { FilePublisher(logs: self).forgetReady(.init(name)) }
}

extension FilePublisher.Name {
    fileprivate init(_ name: SegmentName, header: String? = nil, replaces: Bool = false) {
        self.init(writer: name.writer, fileName: name.fileName, header: header, replaces: replaces)
    }
}
