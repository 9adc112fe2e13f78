import CLinux
import Glibc
package import TributaryChanges

/// The opened log folder; files below it are opened relative to its descriptor, and no symbolic link is followed.
package final class LogFolder: Sendable {
    let folder: OpenFolder
    /// The keys of encrypted files; the first key encrypts published files.
    package let keys: EncryptionKeys

    package init(path: String, keys: EncryptionKeys = EncryptionKeys()) throws(SegmentError) {
        do throws(FileFailure) {
            folder = try OpenFolder(path)
        } catch {
            throw SegmentError.system(error.code, file: path, doing: "open the folder")
        }
        self.keys = keys
    }

    package var path: String { folder.path }
    package var descriptor: Int32 { folder.descriptor }

    package func lacksFolder(of writer: UniqueID) -> Bool {
        faccessat(descriptor, writer.description, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
    }

    package func isFolder(_ name: SegmentName) -> Bool {
        var status = stat()
        return fstatat(descriptor, name.path, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Opens a segment for reading.
    ///
    /// - Throws: ``SegmentError`` `rejected` for anything but a regular file in real folders, without opening it;
    ///   `locked` when it is encrypted with an unknown key, or not encrypted where it must be.
    package func open(_ name: SegmentName) throws(SegmentError) -> OpenFile {
        try open(fileName: name.fileName, writer: name.writer)
    }

    /// Opens a file in a writer's folder for reading: a segment's conflict copy or a baseline.
    ///
    /// - Throws: ``SegmentError`` `rejected` for anything but a regular file; `locked`, `missing` or `inputOutput`.
    package func open(fileName: String, writer: UniqueID) throws(SegmentError) -> OpenFile {
        let file = try openAny(fileName: fileName, writer: writer)
        guard file.isEncrypted || !keys.isRequired else {
            let reason = "it is not encrypted, but encryption.required is set"
            throw SegmentError(.locked, file: file.file, writer: writer, reason: reason)
        }
        return file
    }

    func openAny(fileName: String, writer: UniqueID) throws(SegmentError) -> OpenFile {
        try OpenFile(openRaw(fileName, of: writer), keys: keys)
    }

    /// `sha256` must be a hash, so that the path cannot leave the folder.
    package func openBlob(_ sha256: String, writer: UniqueID, size: UInt64) throws(SegmentError) -> OpenFile {
        try OpenFile(openRaw(blob: sha256, writer: writer), size: size, keys: keys)
    }

    func blobNames(of writer: UniqueID) throws(SegmentError) -> [String] {
        let path = "\(path)/\(writer)/blobs"
        let above = LogFolder.folder(writer.description, in: descriptor)
        defer { if above >= 0 { close(above) } }
        let folder = above >= 0 ? LogFolder.folder("blobs", in: above) : above
        guard folder >= 0 else {
            if errno == ENOENT { return [] }
            throw SegmentError.system(errno, file: path, doing: "open the blobs' folder")
        }
        defer { close(folder) }
        return try LogFolder.names(in: folder, path: path).filter(isSHA256)
    }

    func openRaw(blob sha256: String, writer: UniqueID) throws(SegmentError) -> RawFile {
        let file = "\(path)/\(writer)/blobs/\(sha256)"
        let above = LogFolder.folder(writer.description, in: descriptor)
        guard above >= 0 else { throw SegmentError.system(errno, file: file, doing: "open the writer's folder") }
        defer { close(above) }
        let folder = LogFolder.folder("blobs", in: above)
        guard folder >= 0 else { throw SegmentError.system(errno, file: file, doing: "open the blobs' folder") }
        defer { close(folder) }
        return try LogFolder.open(sha256, in: folder, file: file, writer: writer)
    }

    func openRaw(_ fileName: String, of writer: UniqueID) throws(SegmentError) -> RawFile {
        let file = "\(path)/\(writer)/\(fileName)"
        let folder = LogFolder.folder(writer.description, in: descriptor)
        guard folder >= 0 else {
            guard errno == ELOOP || errno == ENOTDIR else {
                throw SegmentError.system(errno, file: file, doing: "open the writer's folder")
            }
            throw SegmentError(.rejected, file: file, writer: writer, reason: "the writer's folder is not a folder")
        }
        defer { close(folder) }
        return try LogFolder.open(fileName, in: folder, file: file, writer: writer)
    }

    /// Returns a descriptor, which the caller closes; it is negative, with `errno`, when the folder cannot be opened.
    package static func folder(_ name: String, in parent: Int32) -> Int32 {
        clinux_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    }

    static func open(
        _ fileName: String,
        in folder: Int32,
        file: String,
        writer: UniqueID?
    ) throws(SegmentError) -> RawFile {
        // Opening a device or a pipe may have effects, so the kind of file is checked first.
        var status = stat()
        guard fstatat(folder, fileName, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw SegmentError.system(errno, file: file, doing: "examine")
        }
        try OpenFile.demandRegular(status.st_mode, file: file)
        let opened = clinux_openat(folder, fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0)
        guard opened >= 0 else {
            guard errno == ELOOP else { throw SegmentError.system(errno, file: file, doing: "open") }
            throw SegmentError(.rejected, file: file, writer: writer, reason: "it is a symbolic link")
        }
        let result = RawFile(descriptor: opened, file: file)
        try result.demandRegular()
        return result
    }
}

extension LogFolder {
    package func writers() throws(SegmentError) -> [UniqueID] {
        try LogFolder.names(in: descriptor, path: path).compactMap { SegmentName.writer(folderName: $0) }
    }

    /// Empty when the writer has no folder.
    package func fileNames(of writer: UniqueID) throws(SegmentError) -> [String] {
        let path = "\(path)/\(writer)"
        let folder = LogFolder.folder(writer.description, in: descriptor)
        guard folder >= 0 else {
            if errno == ENOENT { return [] }
            throw SegmentError.system(errno, file: path, doing: "open the writer's folder")
        }
        defer { close(folder) }
        return try LogFolder.names(in: folder, path: path)
    }

    static func names(in folder: Int32, path: String) throws(SegmentError) -> [String] {
        guard let entries = DirectoryEntries(of: folder) else {
            throw SegmentError.system(errno, file: path, doing: "list the folder")
        }
        var names: [String] = []
        let isComplete = entries.forEach { name, _, _ in names.append(String(decoding: name, as: UTF8.self)) }
        guard isComplete else { throw SegmentError.system(errno, file: path, doing: "list the folder") }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// The number of files by the ID of their key, nil for files that are not encrypted; opens each file.
    package func filesByKey() throws(SegmentError) -> [String?: Int] {
        var counts: [String?: Int] = [:]
        func count(_ file: () throws(SegmentError) -> RawFile) throws(SegmentError) {
            do {
                counts[try EncryptedForm.keyID(of: try file()), default: 0] += 1
            } catch  where [.missing, .rejected].contains(error.kind) {
                // The file was removed meanwhile, or is not a regular file.
            }
        }
        func names(_ list: () throws(SegmentError) -> [String]) throws(SegmentError) -> [String] {
            do throws(SegmentError) {
                return try list()
            } catch {
                guard [.inputOutput(ELOOP), .inputOutput(ENOTDIR)].contains(error.kind) else { throw error }
                return []
            }
        }
        for writer in try writers() {
            let files = try names { () throws(SegmentError) in try fileNames(of: writer) }
            for name in files where SegmentFileKind.classify(name, writer: writer) != .ignored {
                try count { () throws(SegmentError) in try openRaw(name, of: writer) }
            }
            for blob in try names({ () throws(SegmentError) in try blobNames(of: writer) }) {
                try count { () throws(SegmentError) in try openRaw(blob: blob, writer: writer) }
            }
        }
        return counts
    }

    /// Removes files in the given order, so that after a crash the next removal finds the later files.
    @discardableResult
    package func remove(_ names: [String], of writer: UniqueID) throws(SegmentError) -> Int {
        guard !names.isEmpty else { return 0 }
        let path = "\(path)/\(writer)"
        let folder = LogFolder.folder(writer.description, in: descriptor)
        guard folder >= 0 else { throw SegmentError.system(errno, file: path, doing: "open the writer's folder") }
        defer { close(folder) }
        var count = 0
        for name in names {
            if unlinkat(folder, name, 0) == 0 {
                count += 1
            } else if errno != ENOENT {
                throw SegmentError.system(errno, file: "\(path)/\(name)", doing: "remove")
            }
        }
        guard fsync(folder) == 0 else { throw SegmentError.system(errno, file: path, doing: "sync the folder") }
        return count
    }

    /// Throws `changed` when the file is missing or does not match its name, so that the segment waits for the blob.
    package func readBlob(
        _ sha256: String,
        of writer: UniqueID,
        size: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        func failure(_ reason: String) -> SegmentError {
            SegmentError(.changed, file: "\(writer)/blobs/\(sha256)", reason: reason)
        }
        guard isSHA256(sha256) else { throw failure("the name is not a SHA-256") }
        let file: OpenFile
        do {
            file = try openBlob(sha256, writer: writer, size: UInt64(bitPattern: size))
        } catch {
            // A symbolic link instead of the blob folder is a fault of the writer, not of this machine.
            if case .inputOutput(let code) = error.kind, code != ELOOP, code != ENOTDIR { throw error }
            throw failure(error.reason)
        }
        guard try file.size() == UInt64(bitPattern: size) else { throw failure("it does not have \(size) bytes") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LogFolder.blobPortion, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: UInt64 = 0
        while true {
            let count = try file.read(at: offset, into: buffer)
            guard count > 0 else { break }
            offset += UInt64(count)
            // The file may grow while it is read.
            guard offset <= UInt64(bitPattern: size) else { throw failure("it has grown") }
            let portion = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: portion)
            try body(portion)
        }
        guard hash.finalize().hexadecimal == sha256 else { throw failure("its bytes do not match its name") }
    }

    private static let blobPortion = 1 << 20
}
