package import TributaryChanges

package struct SegmentPublisher: Sendable {
    /// The folder of unfinished files, which is not replicated.
    package static let stagingFolder = ".staging"

    private let files: FilePublisher

    package init(_ logs: LogFolder) {
        files = FilePublisher(logs: logs)
    }

    /// Writes a segment and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt and counts as success.
    ///
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes; what `body` throws.
    package func publish(
        _ name: SegmentName,
        header: String,
        body: (SegmentWriter) throws -> Void
    ) throws -> SegmentEnd {
        try files.publish(.init(writer: name.writer, fileName: name.fileName)) { descriptor, path in
            let writer = try SegmentWriter(descriptor: descriptor, file: path, header: header)
            try body(writer)
            return try writer.finish(last: name.last)
        }
    }
}

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

package struct BlobPublisher: Sendable {
    private let files: FilePublisher
    private let writer: UniqueID

    package init(_ logs: LogFolder, writer: UniqueID) {
        files = FilePublisher(logs: logs)
        self.writer = writer
    }

    /// Writes a blob and renames it to its name.
    ///
    /// - Parameters:
    ///   - sha256: The hash of its bytes.
    ///   - read: Hands over the bytes in portions; it has compared them with the hash when it returns.
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes; what `read` throws.
    package func publish(
        _ sha256: String,
        _ read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard isSHA256(sha256) else {
            throw SegmentError(.rejected, file: sha256, writer: writer, reason: "the name of a blob is no SHA-256")
        }
        try files.publish(.init(writer: writer, fileName: sha256, folder: "blobs")) { descriptor, path in
            let file = HashedFile(descriptor: descriptor, file: path)
            try read { try file.write(Array($0)) }
            try file.finish()
        }
    }
}
