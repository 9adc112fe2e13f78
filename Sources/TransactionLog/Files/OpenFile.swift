import Glibc
package import TributaryChanges

/// A file, decrypted if necessary; each read names its offset, so that several readers may share the file.
package struct OpenFile: SegmentBytes {
    private let raw: RawFile
    private let content: EncryptedContent?

    init(_ file: RawFile, keys: EncryptionKeys) throws(SegmentError) {
        raw = file
        content = try EncryptedContent(raw, keys: keys)
    }

    /// A file with exactly `size` bytes is not encrypted, whatever its first bytes are.
    init(_ blob: RawFile, size: UInt64, keys: EncryptionKeys) throws(SegmentError) {
        raw = blob
        content = try raw.size() == size ? nil : try EncryptedContent(raw, keys: keys)
    }

    /// Opens a file that the user named: symbolic links are followed, but only a regular file is accepted.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - folder: The folder of the file, if others may write into it: then no link is followed.
    ///   - keys: The keys of encrypted files.
    /// - Returns: The open file.
    /// - Throws: ``SegmentError`` `missing`, `rejected`, `locked`, `incomplete` or `inputOutput`.
    package static func open(
        path: String,
        in folder: OpenFolder? = nil,
        keys: EncryptionKeys = EncryptionKeys()
    ) throws(SegmentError) -> OpenFile {
        if let folder {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return try OpenFile(LogFolder.open(name, in: folder.descriptor, file: path, writer: nil), keys: keys)
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw SegmentError.system(errno, file: path, doing: "open") }
        let file = RawFile(descriptor: descriptor, file: path)
        try file.demandRegular()
        return try OpenFile(file, keys: keys)
    }

    package var file: String { raw.file }
    package var descriptor: Int32 { raw.descriptor }
    package var isEncrypted: Bool { content != nil }

    package func size() throws(SegmentError) -> UInt64 {
        if let content { return content.size }
        return try raw.size()
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        if let content { return try content.read(at: offset, into: buffer) }
        return try raw.read(at: offset, into: buffer)
    }

    static func demandRegular(_ mode: mode_t, file: String) throws(SegmentError) {
        let kind = DirectoryEntries.Kind(mode: mode)
        guard kind == .regular else {
            throw SegmentError(.rejected, file: file, reason: "it is \(kind.words), not a regular file")
        }
    }
}

/// The bytes of a file as stored on disk; the last reference closes the file.
final class RawFile: SegmentBytes {
    let file: String
    let descriptor: Int32

    init(descriptor: Int32, file: String) {
        self.descriptor = descriptor
        self.file = file
    }

    deinit { close(descriptor) }

    func size() throws(SegmentError) -> UInt64 {
        UInt64(max(0, try status().st_size))
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(clamping: offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw SegmentError.system(errno, file: file, doing: "read") }
        }
    }

    func demandRegular() throws(SegmentError) {
        try OpenFile.demandRegular(try status().st_mode, file: file)
    }

    func status() throws(SegmentError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SegmentError.system(errno, file: file, doing: "examine") }
        return status
    }
}

extension SegmentError {
    package static func system(_ code: Int32, file: String, doing verb: String) -> SegmentError {
        let kind: Kind = code == ENOENT ? .missing : .inputOutput(code)
        return SegmentError(kind, file: file, reason: "cannot \(verb): \(FileFailure(file, code).reason)")
    }
}

package protocol SegmentBytes: Sendable {
    var file: String { get }

    func size() throws(SegmentError) -> UInt64

    /// Reads at most as many bytes as fit into the buffer, and returns their number; 0 only at the end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int
}

extension SegmentBytes {
    package func bytes(in range: Range<UInt64>) throws(SegmentError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        var result: Result<Void, SegmentError> = .success(())
        bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(SegmentError) in
                var filled = 0
                while filled < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    let count = try read(at: range.lowerBound + UInt64(filled), into: rest)
                    guard count > 0 else {
                        throw SegmentError(.changed, file: file, reason: "the file became shorter while it was read")
                    }
                    filled += count
                }
            }
        }
        try result.get()
        return bytes
    }
}
