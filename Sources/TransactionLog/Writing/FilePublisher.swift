import CLinux
import Glibc
import Synchronization
package import TributaryChanges

extension LogFolder {
    /// Replaces a file of its name: it has the same content, or is damaged; `read` must check the hash before it
    /// returns.
    package func publishBlob(
        _ sha256: String,
        of writer: UniqueID,
        _ read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard isSHA256(sha256) else {
            throw SegmentError(.rejected, file: sha256, writer: writer, reason: "the name of a blob is not a SHA-256")
        }
        try FilePublisher(logs: self).publish(.init(writer: writer, fileName: sha256, isBlob: true)) { file in
            try read { try file.write(Array($0)) }
            try file.finish()
        }
    }

    /// Encrypts a writer's blobs with the current key, and returns their number; blobs that it cannot read stay.
    ///
    /// Opens each blob, and reads those to encrypt twice.
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

    /// The sizes that a blob may have: content that is not encrypted can look like an encrypted file.
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

/// Publishes whole files in a writer's folder: writes a staged file, syncs it, and renames it.
///
/// It replaces no file except a blob, whose name is the hash of its content, and a damaged segment. Others who write into
/// the log folder can guess the names, and put anything there. So no publication waits for another program, and only
/// regular files are opened.
struct FilePublisher: Sendable {
    let logs: LogFolder
    /// The folders with durable entries in their parent folders; two for each log folder and writer of this process.
    private static let durable = Mutex<Set<String>>([])
    /// The staging folders that this process has cleaned of the files of interrupted publications.
    private static let cleaned = Mutex<Set<String>>([])

    struct Name {
        var writer: UniqueID
        var fileName: String
        /// A subfolder of the writer's staging folder, for files that take long to write.
        var stagingFolder: String?
        var header: String?
        /// A blob replaces a file of its name.
        var isBlob = false
        /// Whether it replaces a file of its name.
        var replaces = false

        fileprivate var readyName: String { fileName + FilePublisher.readySuffix }
        fileprivate var readyPath: String { "\(FilePublisher.staging)/\(writer)/\(readyName)" }
    }

    /// Writes a file and renames it to its final name.
    ///
    /// A file of this name with the same bytes is the result of an earlier attempt, and a success. Anything else with the
    /// name is left alone, unless the name replaces it; a failure leaves the former file in its place. If `isMarked`, the
    /// staged file is named as ready before the rename: see ``isReady(_:)``. `begin` is called when the whole file is
    /// on the disk, before the rename. The ready file stays when this or a later step fails.
    func publish<T>(
        _ name: Name,
        isMarked: Bool = false,
        begin: (T) throws -> Void = { _ in },
        _ write: (HashedFile) throws -> T
    ) throws -> T {
        let staging = try Staging(name, self)
        let (descriptor, path) = (staging.file, "\(staging.folder.path)/\(name.fileName)")
        var (staged, isPlaced) = (name.fileName, false)
        defer { staging.end(isPlaced: isPlaced) }
        let encryption = logs.keys.current.map { EncryptedOutput($0, header: name.header) }
        let file = HashedFile(descriptor: descriptor, file: path, encryption: encryption)
        let result = try write(file)
        guard fsync(descriptor) == 0 else { throw SegmentError.system(errno, file: path, doing: "sync") }
        if isMarked {
            guard renameat(staging.folder.descriptor, staged, staging.folder.descriptor, name.readyName) == 0 else {
                throw SegmentError.system(errno, file: path, doing: "rename")
            }
            staged = name.readyName
        }
        try begin(result)
        try renameIntoFolder(name, from: staging, staged)
        isPlaced = true
        if isMarked { staging.removeReadyFiles() }
        return result
    }

    /// True after an attempt that stopped before the rename to the final name, which removes the name of the ready
    /// file.
    func isReady(_ name: Name) -> Bool {
        var status = stat()
        return fstatat(logs.descriptor, name.readyPath, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    func forgetReady(_ name: Name) { unlinkat(logs.descriptor, name.readyPath, 0) }

    private static let staging = ".staging"
    private static let readySuffix = ".ready"

    /// An empty file in the staging folder, and that folder.
    ///
    /// A new folder with a random name is used when another program uses the writer's staging folder, or a foreign file
    /// is in the way. It is removed afterwards. If the program is killed, the first publication of a later process
    /// removes it.
    private struct Staging {
        let folder: OpenFolder
        let file: Int32
        private let temporary: String?
        private let logs: LogFolder
        private let fileName: String

        init(_ name: Name, _ publisher: FilePublisher) throws(SegmentError) {
            (logs, fileName) = (publisher.logs, name.fileName)
            let root = try publisher.stagingRoot()
            publisher.removeAbandoned(of: name.writer, in: root)
            if let own = try? publisher.open(name, name.writer.description, in: root, isShared: true) {
                (folder, file, temporary) = (own.0, own.1, nil)
            } else {
                (folder, file, temporary) = try publisher.openTemporary(name, in: root)
            }
        }

        /// A store needs only one ready file at a time; lists the folder.
        func removeReadyFiles() {
            FilePublisher.removeFiles(in: folder.descriptor) { $0.hasSuffix(FilePublisher.readySuffix) }
        }

        func end(isPlaced: Bool) {
            if !isPlaced { unlinkat(folder.descriptor, fileName, 0) }
            if temporary != nil { removeReadyFiles() }
            flock(folder.descriptor, LOCK_UN)
            close(file)
            if let temporary {
                unlinkat(logs.descriptor, "\(FilePublisher.staging)/\(temporary)", AT_REMOVEDIR)
                FilePublisher.durable.withLock { _ = $0.remove(folder.path) }
            }
        }
    }

    /// A file, a pipe or a link in the place of the folder is removed.
    private func stagingRoot() throws(SegmentError) -> OpenFolder {
        do throws(SegmentError) {
            return try folder(FilePublisher.staging, in: logs.folder, mode: 0o770)
        } catch {
            guard error.kind == .rejected, unlinkat(logs.descriptor, FilePublisher.staging, 0) == 0 else { throw error }
            return try folder(FilePublisher.staging, in: logs.folder, mode: 0o770)
        }
    }

    private static func removeFiles(in folder: Int32, where isRemoved: (String) -> Bool) {
        let names = (try? LogFolder.names(in: folder, path: "")) ?? []
        for name in names where isRemoved(name) { unlinkat(folder, name, 0) }
    }

    private static func isFirst(_ path: String) -> Bool { cleaned.withLock { $0.insert(path).inserted } }

    /// Removes the folders that interrupted publications left behind; a program that still publishes has locked its
    /// folder.
    private func removeAbandoned(of writer: UniqueID, in root: OpenFolder) {
        guard FilePublisher.isFirst("\(root.path)/\(writer).") else { return }
        let names = (try? LogFolder.names(in: root.descriptor, path: root.path)) ?? []
        for name in names where FilePublisher.isTemporary(name, of: writer) {
            let descriptor = LogFolder.folder(name, in: root.descriptor)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            FilePublisher.removeFiles(in: descriptor) { _ in true }
            unlinkat(root.descriptor, name, AT_REMOVEDIR)
        }
    }

    private static func isTemporary(_ name: String, of writer: UniqueID) -> Bool {
        name.hasPrefix("\(writer).") && parseHexadecimal16(name.dropFirst("\(writer).".count)) != nil
    }

    private func openTemporary(_ name: Name, in root: OpenFolder) throws(SegmentError) -> (OpenFolder, Int32, String) {
        func attempt() throws(SegmentError) -> (OpenFolder, Int32, String) {
            let temporary = "\(name.writer).\(hexadecimal16(.random(in: .min ... .max)))"
            let (folder, file) = try open(name, temporary, in: root, isShared: false)
            return (folder, file, temporary)
        }
        // Another program may have taken the folder for an abandoned folder before it was locked.
        if let opened = try? attempt() { return opened }
        return try attempt()
    }

    /// Opens a folder in the staging folder, and creates a file in it.
    ///
    /// It removes the remains of an interrupted attempt first. The first call of a process removes the remains of all files.
    ///
    /// Two programs with one writer must not share a staged file, so a shared folder is locked. On a file system without
    /// locks, the rename still fails for the second program.
    private func open(
        _ name: Name,
        _ folderName: String,
        in root: OpenFolder,
        isShared: Bool
    ) throws(SegmentError) -> (OpenFolder, Int32) {
        var staging = try folder(folderName, in: root, mode: 0o700)
        do throws(SegmentError) {
            if isShared, let below = name.stagingFolder {
                staging = try folder(below, in: staging, mode: 0o700)
            }
            let isLocked = flock(staging.descriptor, LOCK_EX | LOCK_NB) == 0
            if !isLocked, errno == EWOULDBLOCK {
                throw SegmentError.system(EWOULDBLOCK, file: staging.path, doing: "lock the folder")
            }
            if isLocked, isShared, FilePublisher.isFirst(staging.path) {
                FilePublisher.removeFiles(in: staging.descriptor) { !$0.hasSuffix(FilePublisher.readySuffix) }
            }
            return (staging, try create(name, in: staging))
        } catch {
            if !isShared { unlinkat(root.descriptor, folderName, AT_REMOVEDIR) }
            throw error
        }
    }

    /// Opens a folder, and creates it when it does not exist.
    ///
    /// Its entry in the parent folder is then durable, even if an earlier process or attempt has only created the
    /// folder. The umask and the parent folder (setgid) determine its mode and group.
    private func folder(_ name: String, in parent: OpenFolder, mode: mode_t) throws(SegmentError) -> OpenFolder {
        let path = "\(parent.path)/\(name)"
        let isNew = mkdirat(parent.descriptor, name, mode) == 0
        guard isNew || errno == EEXIST else { throw SegmentError.system(errno, file: path, doing: "make the folder") }
        let descriptor = LogFolder.folder(name, in: parent.descriptor)
        guard descriptor >= 0 else {
            guard errno == ENOTDIR || errno == ELOOP else {
                throw SegmentError.system(errno, file: path, doing: "open the folder")
            }
            throw SegmentError(.rejected, file: path, reason: "it is not a folder")
        }
        let folder = OpenFolder(descriptor, path: path)
        guard isNew || !FilePublisher.durable.withLock({ $0.contains(path) }) else { return folder }
        try sync(parent)
        FilePublisher.durable.withLock { _ = $0.insert(path) }
        return folder
    }

    private func create(_ name: Name, in staging: OpenFolder) throws(SegmentError) -> Int32 {
        let path = "\(staging.path)/\(name.fileName)"
        var status = stat()
        if fstatat(staging.descriptor, name.readyName, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            try OpenFile.demandRegular(status.st_mode, file: "\(staging.path)/\(name.readyName)")
        }
        unlinkat(staging.descriptor, name.fileName, 0)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = clinux_openat(staging.descriptor, name.fileName, flags, 0o660)
        guard descriptor >= 0 else { throw SegmentError.system(errno, file: path, doing: "create") }
        // The replicator reads the file through its group, whatever the umask of this process.
        guard fchmod(descriptor, 0o660) == 0 else {
            defer { close(descriptor) }
            throw SegmentError.system(errno, file: path, doing: "set the mode")
        }
        return descriptor
    }

    private func renameIntoFolder(_ name: Name, from staging: Staging, _ staged: String) throws(SegmentError) {
        let writer: OpenFolder
        do throws(SegmentError) {
            let own = try folder(name.writer.description, in: logs.folder, mode: 0o770)
            writer = name.isBlob ? try folder("blobs", in: own, mode: 0o770) : own
        } catch  where error.kind == .rejected {
            throw FilePublisher.taken(error.file, name, "it is not a folder")
        }
        let (path, from) = ("\(writer.path)/\(name.fileName)", staging.folder.descriptor)
        if name.isBlob || name.replaces {
            guard renameat(from, staged, writer.descriptor, name.fileName) == 0 else {
                if errno == EISDIR { throw FilePublisher.taken(path, name, "it is a folder") }
                throw SegmentError.system(errno, file: path, doing: "rename into place")
            }
        } else if clinux_rename_noreplace(from, staged, writer.descriptor, name.fileName) != 0 {
            guard errno == EEXIST else { throw SegmentError.system(errno, file: path, doing: "rename into place") }
            try requireSameContent(name, staging)
            unlinkat(from, staged, 0)
        }
        try sync(writer)
    }

    private static func taken(_ file: String, _ name: Name, _ reason: String) -> SegmentError {
        SegmentError(.forked, file: file, writer: name.writer, reason: "the name is taken: \(reason)")
    }

    /// Each of the two files may be encrypted with another key, or not encrypted.
    private func requireSameContent(_ name: Name, _ staging: Staging) throws(SegmentError) {
        let path = "\(staging.folder.path)/\(name.fileName)"
        let own = fcntl(staging.file, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw SegmentError.system(errno, file: path, doing: "read") }
        let staged = try OpenFile(RawFile(descriptor: own, file: path), keys: logs.keys)
        let file = "\(logs.path)/\(name.writer)/\(name.fileName)"
        do throws(SegmentError) {
            let published = try logs.openAny(fileName: name.fileName, writer: name.writer)
            let size = try published.size()
            var isSame = try staged.size() == size
            var offset: UInt64 = 0
            while isSame, offset < size {
                let range = offset..<min(size, offset + 1 << 20)
                isSame = try published.bytes(in: range) == staged.bytes(in: range)
                offset = range.upperBound
            }
            guard !isSame else { return }
        } catch  where [.rejected, .damaged].contains(error.kind) {
            throw FilePublisher.taken(file, name, error.reason)
        }
        throw FilePublisher.taken(file, name, "the file has other bytes")
    }

    private func sync(_ folder: OpenFolder) throws(SegmentError) {
        do throws(FileFailure) {
            try folder.sync()
        } catch {
            throw SegmentError.system(error.code, file: error.path, doing: "sync")
        }
    }
}

final class HashedFile {
    private static let bufferSize = 256 << 10

    private let descriptor: Int32
    let file: String
    private var encryption: EncryptedOutput?
    private var hash = SHA256()
    private var pending: [UInt8] = []
    private var hashed = 0

    init(descriptor: Int32, file: String, encryption: EncryptedOutput?) {
        self.descriptor = descriptor
        self.file = file
        self.encryption = encryption
    }

    func write(_ bytes: [UInt8]) throws(SegmentError) {
        pending.append(contentsOf: bytes)
        if pending.count >= HashedFile.bufferSize { try flush() }
    }

    func digest() -> String {
        hashPending()
        return hash.finalize().hexadecimal
    }

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
        if let output = encryption?.take(&pending, isLast: isLast) {
            try write(through: output)
        } else {
            try write(through: pending)
            pending.removeAll(keepingCapacity: true)
        }
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
