import CLinux
import Glibc
package import TributaryChanges

/// The opened log folder; files below it are opened relative to its descriptor, and no symbolic link below it is
/// followed.
package final class LogFolder: Sendable {
    package let path: String
    package let descriptor: Int32

    package init(path: String) throws(SegmentError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SegmentError.system(errno, file: path, doing: "open the folder") }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the writer's folder certainly does not exist.
    package func lacksFolder(of writer: UniqueID) -> Bool {
        faccessat(descriptor, writer.description, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
    }

    /// Opens a segment for reading.
    ///
    /// - Throws: ``SegmentError`` `rejected` for anything but a regular file in real folders, without opening it.
    package func open(_ name: SegmentName) throws(SegmentError) -> OpenFile {
        try open(fileName: name.fileName, writer: name.writer)
    }

    /// Opens a file in a writer's folder for reading: a segment's conflict copy or a baseline.
    ///
    /// - Throws: ``SegmentError`` `rejected` for anything but a regular file; `missing` or `inputOutput`.
    package func open(fileName: String, writer: UniqueID) throws(SegmentError) -> OpenFile {
        let file = "\(path)/\(writer)/\(fileName)"
        let folder = clinux_openat(descriptor, writer.description, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard folder >= 0 else {
            guard errno == ELOOP || errno == ENOTDIR else {
                throw SegmentError.system(errno, file: file, doing: "open the writer's folder")
            }
            throw SegmentError(.rejected, file: file, writer: writer, reason: "the writer's folder is no folder")
        }
        defer { close(folder) }
        return try open(fileName, in: folder, file: file, writer: writer)
    }

    /// Opens a blob of a writer for reading; `sha256` must be a hash, so that the path cannot leave the folder.
    ///
    /// - Throws: ``SegmentError`` `rejected` for anything but a regular file; `missing` or `inputOutput`.
    package func openBlob(_ sha256: String, writer: UniqueID) throws(SegmentError) -> OpenFile {
        let file = "\(path)/\(writer)/blobs/\(sha256)"
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let above = clinux_openat(descriptor, writer.description, flags, 0)
        guard above >= 0 else { throw SegmentError.system(errno, file: file, doing: "open the writer's folder") }
        defer { close(above) }
        let folder = clinux_openat(above, "blobs", flags, 0)
        guard folder >= 0 else { throw SegmentError.system(errno, file: file, doing: "open the blobs' folder") }
        defer { close(folder) }
        return try open(sha256, in: folder, file: file, writer: writer)
    }

    private func open(
        _ fileName: String,
        in folder: Int32,
        file: String,
        writer: UniqueID
    ) throws(SegmentError) -> OpenFile {
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
        let result = OpenFile(descriptor: opened, file: file)
        try result.demandRegular()
        return result
    }
}

extension LogFolder {
    /// Returns the names in a writer's folder, unordered; empty when there is no folder.
    package func fileNames(of writer: UniqueID) throws(SegmentError) -> [String] {
        let path = "\(path)/\(writer)"
        let folder = clinux_openat(descriptor, writer.description, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard folder >= 0 else {
            if errno == ENOENT { return [] }
            throw SegmentError.system(errno, file: path, doing: "open the writer's folder")
        }
        // The stream owns the descriptor from here on.
        guard let stream = fdopendir(folder) else {
            defer { close(folder) }
            throw SegmentError.system(errno, file: path, doing: "list the folder")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
