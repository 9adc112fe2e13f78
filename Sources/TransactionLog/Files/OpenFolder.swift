import CLinux
import Glibc
package import TributaryChanges

/// A folder that is opened once: its files are opened, replaced and removed through its descriptor.
///
/// Others may write into the folder, and the caller may be root. So no call leaves the folder, even when the folder is
/// replaced, and no call follows a symbolic link in it. Root opens no folder through another user's symbolic link.
package final class OpenFolder: Sendable {
    package let path: String
    package let descriptor: Int32

    private static let mostLinks = 40

    /// Root does not follow a symbolic link of another user.
    package init(_ path: String) throws(FileFailure) {
        descriptor = clinux_open_folder(path)
        guard descriptor >= 0 else { throw FileFailure(path, errno) }
        self.path = path
    }

    init(_ descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

    deinit { close(descriptor) }

    package static func holding(_ path: String) throws(FileFailure) -> (folder: OpenFolder, name: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard !name.isEmpty, name != ".", name != ".." else { throw FileFailure(path, EISDIR) }
        return (try OpenFolder(path.folder), name)
    }

    /// Opens the folder of a file, or of the file that a symbolic link leads to; root follows only links of root.
    package static func holding(
        linkedFrom path: String
    ) throws(FileFailure) -> (folder: OpenFolder, name: String, path: String) {
        var path = path
        for _ in 0..<mostLinks {
            let (folder, name) = try holding(path)
            guard folder.isLink(name) else { return (folder, name, path) }
            guard geteuid() != 0 || folder.status(of: name)?.st_uid == 0 else { throw FileFailure(path, ENOLINK) }
            var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let length = target.withUnsafeMutableBytes { buffer in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlinkat(folder.descriptor, name, $0, text.count) } ?? -1
                }
            }
            guard length > 0 else { throw FileFailure(path, errno) }
            let text = String(decoding: target[..<length], as: UTF8.self)
            path = text.hasPrefix("/") ? text : folder.path(of: text)
        }
        throw FileFailure(path, ELOOP)
    }

    package func path(of name: String) -> String { path == "/" ? "/\(name)" : "\(path)/\(name)" }

    /// True also for a symbolic link that leads nowhere.
    package func contains(_ name: String) -> Bool { status(of: name) != nil }

    package func isLink(_ name: String) -> Bool {
        status(of: name).map { DirectoryEntries.Kind(mode: $0.st_mode) == .link } ?? false
    }

    func status(of name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    package func has(_ file: Int32, as name: String) -> Bool {
        var own = stat()
        guard fstat(file, &own) == 0, let found = status(of: name) else { return false }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// Opens a file, but follows no link.
    ///
    /// The caller closes the descriptor. It is negative, with `errno`, when the file cannot be opened.
    package func open(_ name: String, _ flags: Int32, mode: UInt32 = 0) -> Int32 {
        clinux_openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode)
    }

    /// Nil when the file does not exist; throws `ELOOP` for a link or a second name, and `EFBIG` for a longer file.
    ///
    /// A link or a second name may lead to a file that the caller may read, but not the owner of the folder.
    package func contents(of name: String, limit: Int) throws(FileFailure) -> [UInt8]? {
        let file = open(name, O_RDONLY | O_NONBLOCK)
        guard file >= 0 else {
            guard errno != ENOENT else { return nil }
            throw failure(name, errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(name, errno) }
        guard DirectoryEntries.Kind(mode: status.st_mode) == .regular, status.st_nlink == 1 else {
            throw failure(name, ELOOP)
        }
        guard status.st_size <= limit else { throw failure(name, EFBIG) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure(name, errno) }
        return Array(bytes.prefix(count))
    }

    package func rename(_ name: String, to new: String) throws(FileFailure) {
        guard renameat(descriptor, name, descriptor, new) == 0 else { throw failure(name, errno) }
    }

    package func remove(_ name: String) throws(FileFailure) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw failure(name, errno) }
    }

    package func sync() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw FileFailure(path, errno) }
    }

    package func failure(_ name: String, _ code: Int32) -> FileFailure { FileFailure(path(of: name), code) }
}
