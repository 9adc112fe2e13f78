package import TributaryChanges

/// Publishes blobs in a writer's folder, with the safety rules of segments.
package struct BlobPublisher: Sendable {
    private let files: FilePublisher
    private let writer: UniqueID

    package init(_ logs: LogFolder, writer: UniqueID) {
        files = FilePublisher(logs)
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
