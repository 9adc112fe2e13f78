import CLinux
import Foundation
import Synchronization
import TributaryChanges

#if canImport(Glibc)
    import Glibc
#endif

/// The folder of large binaries beside the store: `store.sqlite-blobs/ab/ab12…`, files named by SHA-256.
///
/// A file is durable before the transaction that names it commits. After a crash, a file may exist that no row names,
/// but each named file exists. Files are never changed or deleted. A store in memory has no such folder.
final class BlobFolder: Sendable {
    /// In bytes; a longer value is kept in this folder if the model allows it.
    static let threshold = 128 << 10
    private static let portion = 1 << 20

    let path: String
    private let durable = Mutex<Set<String>>([])
    private static let fileMode: mode_t = 0o640
    private static let folderMode: mode_t = 0o750

    init(storePath: String) {
        path = BlobFolder.path(besideStore: storePath)
    }

    /// Follows a symbolic link to the store, unless there already is a folder beside the link.
    private static func path(besideStore store: String) -> String {
        let beside = store + "-blobs"
        guard access(beside, F_OK) != 0, let real = realpath(store, nil) else { return beside }
        defer { free(real) }
        return String(cString: real) + "-blobs"
    }

    typealias Source = (_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    func keep(sha256: String, size: Int64, _ source: Source) throws -> PropertyValue {
        let drafts = BlobDrafts(folder: self)
        let value = try drafts.add(sha256: sha256, size: size, source)
        try drafts.publish()
        return value
    }

    fileprivate func has(sha256: String, size: Int64) -> Bool {
        (try? read(sha256: sha256, size: size) { _ in }) != nil
    }

    fileprivate func write(_ source: Source, to file: String, in folder: String) throws -> BlobDrafts.Draft {
        var path = Array("\(folder)/.draft-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw failure(file) }
        let draft = BlobDrafts.Draft(path: path, file: file, descriptor: descriptor)
        do {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            try source { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { throw failure(file) }
                    rest = rest.dropFirst(count)
                }
            }
            guard fchmod(descriptor, BlobFolder.fileMode) == 0 else { throw failure(file) }
            // The kernel then writes several files at once, before each of them is synchronized.
            clinux_start_writing(descriptor)
            return draft
        } catch {
            draft.discard()
            throw error
        }
    }

    /// Makes folders, and returns the folders that may not be durable in their parents.
    ///
    /// These include existing folders: the process that created a folder may have crashed before it was durable.
    fileprivate func make(_ folders: [String]) throws(StoreError) -> [String] {
        var created: [String] = []
        for folder in folders {
            if mkdir(folder, BlobFolder.folderMode) == 0 {
                guard chmod(folder, BlobFolder.folderMode) == 0 else { throw failure(folder) }
            } else {
                guard errno == EEXIST else { throw failure(folder) }
                if durable.withLock({ $0.contains(folder) }) { continue }
            }
            created.append(folder)
        }
        return created
    }

    fileprivate func synchronizeEntries(of folders: Set<String>) throws(StoreError) {
        let parents = Set(folders.map { $0.folder })
        for parent in parents.sorted() { try synchronizeFolder(parent) }
        durable.withLock { $0.formUnion(folders) }
    }

    fileprivate func synchronizeFolder(_ folder: String) throws(StoreError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder) }
    }

    func bytes(sha256: String, size: Int64) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            try read(sha256: sha256, size: size) { portion in
                if bytes.isEmpty { bytes.reserveCapacity(Int(size)) }
                bytes.append(contentsOf: portion)
            }
        } catch {
            throw error as? StoreError ?? .blob(path: path, reason: "\(error)")
        }
        return bytes
    }

    /// Hands over the bytes in portions, and throws ``StoreError`` `blob` if their hash is not the name of the file.
    func read(
        sha256: String,
        size: Int64,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let file = file(sha256) else { throw StoreError.blob(path: path, reason: "'\(sha256)' is not a SHA-256") }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(file) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError.blob(path: file, reason: "it is not a regular file")
        }
        guard status.st_size == off_t(size) else {
            throw StoreError.blob(
                path: file,
                reason: "it is damaged: it has \(status.st_size) bytes instead of \(size)"
            )
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobFolder.portion, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            if count == 0 { break }
            let portion = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: portion)
            try take(portion)
        }
        guard hash.finalize().hexadecimal == sha256 else {
            throw StoreError.blob(path: file, reason: "it is damaged: its bytes do not match its name")
        }
    }

    /// Nil unless the name is a hash, so that no row can name a file outside the folder.
    fileprivate func file(_ sha256: String) -> String? {
        isSHA256(sha256) ? "\(path)/\(sha256.prefix(2))/\(sha256)" : nil
    }

    fileprivate func failure(_ path: String) -> StoreError {
        let error = StoreError.scratch(path: path, code: errno)
        return error.isFull ? error : .blob(path: path, reason: String(cString: strerror(errno)))
    }

    static func hash(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}

/// The new files of a transaction; they get their final names before it commits, and after their bytes are durable.
final class BlobDrafts {
    struct Draft {
        let path: [CChar]
        let file: String
        let descriptor: CInt

        func discard() {
            close(descriptor)
            unlink(path)
        }
    }

    private let folder: BlobFolder
    private var drafts: [String: Draft] = [:]
    private var folders: Set<String> = []
    private var created: Set<String> = []
    static let limit = 64

    init(folder: BlobFolder) {
        self.folder = folder
    }

    deinit { for draft in drafts.values { draft.discard() } }

    func add(_ bytes: [UInt8]) throws -> PropertyValue {
        try add(sha256: BlobFolder.hash(bytes), size: Int64(bytes.count)) { take in
            try bytes.withUnsafeBytes { try take($0) }
        }
    }

    func add(sha256: String, size: Int64, _ source: BlobFolder.Source) throws -> PropertyValue {
        guard let file = folder.file(sha256) else {
            throw StoreError.blob(path: folder.path, reason: "'\(sha256)' is not a SHA-256")
        }
        let value = PropertyValue.blob(sha256: sha256, size: size)
        guard drafts[sha256] == nil else { return value }
        if drafts.count >= BlobDrafts.limit { try publish() }
        let place = "\(folder.path)/\(sha256.prefix(2))"
        created.formUnion(try folder.make([folder.path, place]))
        // Also for an existing file: its writer may have crashed before it synchronized the folder.
        folders.insert(place)
        // A damaged file is written again.
        if !folder.has(sha256: sha256, size: size) {
            drafts[sha256] = try folder.write(source, to: file, in: place)
        }
        return value
    }

    func publish() throws {
        guard !folders.isEmpty else { return }
        try folder.synchronizeEntries(of: created)
        created = []
        for draft in drafts.values {
            guard fsync(draft.descriptor) == 0 else { throw folder.failure(draft.file) }
        }
        for (sha256, draft) in drafts {
            guard rename(draft.path, draft.file) == 0 else { throw folder.failure(draft.file) }
            close(draft.descriptor)
            drafts[sha256] = nil
        }
        for place in folders.sorted() { try folder.synchronizeFolder(place) }
        folders = []
    }
}

/// Hands over the bytes of a binary that a log names by hash and size, and throws if they do not have that hash.
package typealias BlobSource = (
    _ sha256: String, _ size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void
) throws -> Void
