import CLinux
import Glibc
import Synchronization
package import TributaryChanges

extension LogFolder {
    /// Writes a blob and renames it to its name; a file of this name is replaced, which has the same content or none, and
    /// may be encrypted with another key.
    ///
    /// - Parameters:
    ///   - sha256: The hash of its bytes.
    ///   - writer: The writer in whose folder it is.
    ///   - read: Hands over the bytes in portions; it has compared them with the hash when it returns.
    /// - Throws: ``SegmentError``; what `read` throws.
    package func publishBlob(
        _ sha256: String,
        of writer: UniqueID,
        _ read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard isSHA256(sha256) else {
            throw SegmentError(.rejected, file: sha256, writer: writer, reason: "the name of a blob is no SHA-256")
        }
        try FilePublisher(logs: self).publish(.blob(sha256, of: writer)) { file in
            try read { try file.write(Array($0)) }
            try file.finish()
        }
    }

    /// Encrypts the blobs of a writer with the current key that are not encrypted, or with another key that is here.
    ///
    /// What cannot be read, or is not what its name says, stays as it is. Each blob is opened; those to encrypt are read
    /// twice.
    ///
    /// - Returns: The number of the blobs that were encrypted anew.
    package func encryptBlobs(of writer: UniqueID, step: () throws -> Void) throws -> Int {
        guard let current = keys.current else { return 0 }
        var count = 0
        for sha256 in try blobNames(of: writer) {
            try step()
            let sizes = (try? possibleSizes(ofBlob: sha256, writer: writer, notEncryptedWith: current)) ?? []
            for size in sizes where (try? readBlob(sha256, of: writer, size: size) { _ in }) != nil {
                try publishBlob(sha256, of: writer) { take in try readBlob(sha256, of: writer, size: size, take) }
                count += 1
                break
            }
        }
        return count
    }

    /// The sizes that a blob can have: only its name tells whether it is one that looks like an encrypted file.
    private func possibleSizes(
        ofBlob sha256: String,
        writer: UniqueID,
        notEncryptedWith current: EncryptionKey
    ) throws(SegmentError) -> [Int64] {
        let file = try openRaw(blob: sha256, writer: writer)
        let length = Int64(clamping: try file.size())
        guard let id = try EncryptedForm.keyID(of: file) else { return [length] }
        guard id != current.id, keys[id] != nil else { return [] }
        return [try EncryptedContent(file, keys: keys).map { Int64(clamping: $0.size) }, length].compactMap(\.self)
    }
}

/// Publishes whole files in a writer's folder: writes a staged file, syncs it, and renames it, never replacing a file,
/// except a blob, whose name is the hash of its content.
struct FilePublisher: Sendable {
    let logs: LogFolder
    /// The folders whose entries in their parent folders are known to be durable; two for each log folder and writer of
    /// this process.
    private static let durable = Mutex<Set<String>>([])

    struct Name {
        var writer: UniqueID
        var fileName: String
        /// The folder in the writer's folder; nil for the writer's folder itself.
        var folder: String?
        /// The folder in the writer's staging folder, for files that take long to write; nil for that folder itself.
        var stagingFolder: String?
        /// The first line of a segment, which stays readable when the file is encrypted.
        var header: String?
        /// Whether a file of this name is replaced, of which only the content counts.
        var replaces = false

        static func blob(_ sha256: String, of writer: UniqueID) -> Name {
            Name(writer: writer, fileName: sha256, folder: "blobs", replaces: true)
        }
    }

    /// Writes a file and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt and counts as success.
    ///
    /// - Throws: ``SegmentError`` `forked` when a file of this name has other bytes; what `write` throws.
    func publish<T>(_ name: Name, _ write: (HashedFile) throws -> T) throws -> T {
        var staging = try folder(name.writer.description, in: try staging(), mode: 0o700)
        if let below = name.stagingFolder { staging = try folder(below, in: staging, mode: 0o700) }
        // Two programs with one writer must not share a staged file. On a file system without locks, the rename still
        // fails for one of them.
        flock(staging.descriptor, LOCK_EX)
        defer {
            flock(staging.descriptor, LOCK_UN)
            close(staging.descriptor)
        }
        let (descriptor, path) = try create(name, in: staging)
        defer { close(descriptor) }
        do {
            let encryption = logs.keys.current.map { EncryptedOutput($0, header: name.header) }
            let file = HashedFile(descriptor: descriptor, file: path, encryption: encryption)
            let result = try write(file)
            try sync(descriptor, path)
            try renameIntoFolder(name, from: staging, file)
            return result
        } catch {
            unlinkat(staging.descriptor, name.fileName, 0)
            throw error
        }
    }

    private struct Folder {
        var descriptor: Int32
        var path: String
    }

    private func staging() throws(SegmentError) -> Folder {
        let logs = Folder(descriptor: logs.descriptor, path: logs.path)
        return try folder(".staging", in: logs, mode: 0o770)
    }

    /// Opens a folder, and creates it when it does not exist.
    ///
    /// Its entry in the parent folder is durable then, also when an earlier process or attempt has created the folder
    /// and did not get as far.
    ///
    /// The umask and the parent folder (setgid) determine its mode and group.
    private func folder(_ name: String, in parent: Folder, mode: mode_t) throws(SegmentError) -> Folder {
        defer { if parent.descriptor != logs.descriptor { close(parent.descriptor) } }
        let path = "\(parent.path)/\(name)"
        let isNew = mkdirat(parent.descriptor, name, mode) == 0
        guard isNew || errno == EEXIST else { throw SegmentError.system(errno, file: path, doing: "make the folder") }
        if isNew || !FilePublisher.durable.withLock({ $0.contains(path) }) {
            try sync(parent.descriptor, parent.path)
            FilePublisher.durable.withLock { _ = $0.insert(path) }
        }
        let descriptor = LogFolder.folder(name, in: parent.descriptor)
        guard descriptor >= 0 else { throw SegmentError.system(errno, file: path, doing: "open the folder") }
        return Folder(descriptor: descriptor, path: path)
    }

    /// Creates a file in the staging folder, after removing the remains of an interrupted export.
    private func create(_ name: Name, in staging: Folder) throws(SegmentError) -> (Int32, String) {
        let path = "\(staging.path)/\(name.fileName)"
        unlinkat(staging.descriptor, name.fileName, 0)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = clinux_openat(staging.descriptor, name.fileName, flags, 0o660)
        guard descriptor >= 0 else { throw SegmentError.system(errno, file: path, doing: "create") }
        // The replicator reads the file through its group, whatever the umask of this process.
        guard fchmod(descriptor, 0o660) == 0 else {
            defer { close(descriptor) }
            throw SegmentError.system(errno, file: path, doing: "set the mode")
        }
        return (descriptor, path)
    }

    private func renameIntoFolder(_ name: Name, from staging: Folder, _ file: HashedFile) throws {
        let logs = Folder(descriptor: logs.descriptor, path: logs.path)
        var writer = try folder(name.writer.description, in: logs, mode: 0o770)
        if let below = name.folder { writer = try folder(below, in: writer, mode: 0o770) }
        defer { close(writer.descriptor) }
        var isTaken = false
        if name.replaces {
            guard renameat(staging.descriptor, name.fileName, writer.descriptor, name.fileName) == 0 else {
                throw SegmentError.system(errno, file: "\(writer.path)/\(name.fileName)", doing: "rename into place")
            }
        } else if clinux_rename_noreplace(staging.descriptor, name.fileName, writer.descriptor, name.fileName) != 0 {
            if errno == EINVAL || errno == ENOSYS {
                isTaken = try link(name, from: staging, to: writer)
            } else if errno == EEXIST {
                isTaken = true
            } else {
                throw SegmentError.system(errno, file: "\(writer.path)/\(name.fileName)", doing: "rename into place")
            }
        }
        if isTaken {
            try requireSameContent(name, file)
            unlinkat(staging.descriptor, name.fileName, 0)
        }
        try sync(writer.descriptor, writer.path)
    }

    /// Links the file, for file systems that cannot rename without replacing: a hard link cannot replace a file either.
    private func link(_ name: Name, from staging: Folder, to writer: Folder) throws(SegmentError) -> Bool {
        if linkat(staging.descriptor, name.fileName, writer.descriptor, name.fileName, 0) == 0 {
            unlinkat(staging.descriptor, name.fileName, 0)
            return false
        }
        guard errno == EEXIST else {
            throw SegmentError.system(errno, file: "\(writer.path)/\(name.fileName)", doing: "link into place")
        }
        return true
    }

    /// Compares what was to be written with the published file; each may be encrypted with another key, or not at all.
    private func requireSameContent(_ name: Name, _ file: HashedFile) throws(SegmentError) {
        let published = try logs.openAny(fileName: name.fileName, writer: name.writer)
        let staged = try OpenFile.open(path: file.file, keys: logs.keys)
        let size = try published.size()
        var isSame = try staged.size() == size
        var offset: UInt64 = 0
        while isSame, offset < size {
            let range = offset..<min(size, offset + 1 << 20)
            isSame = try published.bytes(in: range) == staged.bytes(in: range)
            offset = range.upperBound
        }
        guard !isSame else { return }
        let reason = "the name is taken by a file with other bytes"
        throw SegmentError(.forked, file: published.file, writer: name.writer, reason: reason)
    }

    private func sync(_ descriptor: Int32, _ path: String) throws(SegmentError) {
        guard fsync(descriptor) == 0 else { throw SegmentError.system(errno, file: path, doing: "sync") }
    }
}

/// A staged file that is being written, encrypted where that is asked for, and the hash of its content.
final class HashedFile {
    private static let bufferSize = 256 << 10

    private let descriptor: Int32
    let file: String
    private var encryption: EncryptedOutput?
    private var hash = SHA256()
    private var pending: [UInt8] = []
    /// The number of the pending bytes that are hashed.
    private var hashed = 0
    private var written: UInt64 = 0

    init(descriptor: Int32, file: String, encryption: EncryptedOutput?) {
        self.descriptor = descriptor
        self.file = file
        self.encryption = encryption
    }

    /// The number of bytes of the content so far.
    var size: UInt64 { written + UInt64(pending.count) }

    func write(_ bytes: [UInt8]) throws(SegmentError) {
        pending.append(contentsOf: bytes)
        if pending.count >= HashedFile.bufferSize { try flush() }
    }

    /// The hash of all bytes of the content so far.
    func digest() -> String {
        hashPending()
        return hash.finalize().hexadecimal
    }

    /// Writes the last line, if there is one, and everything that is pending; nothing may follow.
    func finish(with line: String? = nil) throws(SegmentError) {
        if let line { pending += Array(line.utf8) + [0x0A] }
        try flush(isLast: true)
    }

    private func hashPending() {
        hash.update(data: pending[hashed...])
        hashed = pending.count
    }

    private func flush(isLast: Bool = false) throws(SegmentError) {
        hashPending()
        let count = pending.count
        if let output = encryption?.take(&pending, isLast: isLast) {
            try write(through: output)
        } else {
            try write(through: pending)
            pending.removeAll(keepingCapacity: true)
        }
        written += UInt64(count - pending.count)
        hashed = pending.count
    }

    private func write(through bytes: [UInt8]) throws(SegmentError) {
        var failure: Int32 = 0
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty, failure == 0 {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
            }
        }
        guard failure == 0 else { throw SegmentError.system(failure, file: file, doing: "write") }
    }
}
