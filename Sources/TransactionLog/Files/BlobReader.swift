import Glibc
package import TributaryChanges

package struct BlobReader {
    private let logs: LogFolder
    private let writer: UniqueID
    private static let portion = 1 << 20

    package init(logs: LogFolder, writer: UniqueID) {
        self.logs = logs
        self.writer = writer
    }

    /// Passes the bytes of a blob to a closure, in portions.
    ///
    /// - Throws: ``SegmentError`` `changed` when the file is missing or its bytes do not match its name, so that the
    ///   segment has to wait for it again; `inputOutput` when the system cannot open or read it; what `body` throws.
    package func read(
        _ sha256: String,
        size: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard isSHA256(sha256) else { throw failure(sha256, "the name is no SHA-256") }
        let file: OpenFile
        do {
            file = try logs.openBlob(sha256, writer: writer)
        } catch {
            // A symbolic link instead of the blob folder is a fault of the writer, not of this machine.
            if case .inputOutput(let code) = error.kind, code != ELOOP, code != ENOTDIR { throw error }
            throw failure(sha256, error.reason)
        }
        guard try file.size() == UInt64(bitPattern: size) else { throw failure(sha256, "it has not \(size) bytes") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobReader.portion, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: UInt64 = 0
        while true {
            let count = try file.read(at: offset, into: buffer)
            guard count > 0 else { break }
            offset += UInt64(count)
            // A file that grows while it is read has another size than announced.
            guard offset <= UInt64(bitPattern: size) else { throw failure(sha256, "it has grown") }
            let portion = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: portion)
            try body(portion)
        }
        guard hash.finalize().hexadecimal == sha256 else {
            throw failure(sha256, "its bytes are not those of its name")
        }
    }

    private func failure(_ sha256: String, _ reason: String) -> SegmentError {
        SegmentError(.changed, file: "\(writer)/blobs/\(sha256)", reason: reason)
    }
}
