import CLinux
import Glibc
package import TributaryChanges

/// A file that appears under its name when it is complete, and not earlier; until then it has no name, or the name
/// of a draft.
package final class NewFile {
    /// The system's O_TMPFILE: a file without a name, which the system removes when the process ends.
    private static let unnamed = 0o20000000 | O_DIRECTORY

    private let folder: OpenFolder
    private var name: String
    private let descriptor: Int32
    private var draft: String?

    package var path: String { folder.path(of: name) }

    /// Throws `EEXIST` when a file or a link has the path; the umask does not change `mode`.
    package convenience init(_ path: String, mode: UInt32) throws(FileFailure) {
        let (folder, name) = try OpenFolder.holding(path)
        guard !folder.contains(name) else { throw FileFailure(path, EEXIST) }
        try self.init(name, in: folder, mode: mode, isHidden: false)
    }

    /// If `isHidden`, readers of the log folder ignore the name of the draft; the umask does not change `mode`.
    package init(_ name: String, in folder: OpenFolder, mode: UInt32, isHidden: Bool = true) throws(FileFailure) {
        (self.folder, self.name) = (folder, name)
        var opened = clinux_openat(folder.descriptor, ".", NewFile.unnamed | O_WRONLY | O_CLOEXEC, mode)
        // Without /proc, such a file could not get a name.
        if opened >= 0, access(NewFile.path(of: opened), F_OK) != 0 {
            close(opened)
            opened = -1
        }
        if opened < 0 {
            let draft = isHidden ? NewFile.hidden(name) : "\(name).part-\(getpid())"
            opened = folder.open(draft, O_CREAT | O_EXCL | O_WRONLY, mode: mode)
            guard opened >= 0 else { throw folder.failure(draft, errno) }
            self.draft = draft
            // The lock shows other programs, which remove drafts of killed programs, that this draft is in use.
            flock(opened, LOCK_EX | LOCK_NB)
        }
        descriptor = opened
        fchmod(descriptor, mode)
    }

    deinit {
        if let draft { unlinkat(folder.descriptor, draft, 0) }
        close(descriptor)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            rest = rest.dropFirst(count)
        }
    }

    package func write(_ bytes: [UInt8]) throws(FileFailure) {
        var result: Result<Void, FileFailure> = .success(())
        bytes.withUnsafeBytes { buffer in result = Result { () throws(FileFailure) in try write(buffer) } }
        try result.get()
    }

    package func give(to user: UInt32, _ group: UInt32) throws(FileFailure) {
        guard fchown(descriptor, user, group) == 0 else { throw failure(errno) }
    }

    /// Makes the file durable, and gives it its name; throws `EEXIST` when the name is taken.
    package func finish(as newName: String? = nil) throws(FileFailure) {
        if let newName { name = newName }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
        let result =
            if let draft {
                clinux_rename_noreplace(folder.descriptor, draft, folder.descriptor, name)
            } else {
                link(as: name)
            }
        guard result == 0 else { throw failure(errno) }
        draft = nil
        try folder.sync()
    }

    /// Calls `isRight` last before the rename; when it throws, the new file is dropped.
    package func replace(_ isRight: () throws -> Void = {}) throws {
        guard fsync(descriptor) == 0 else { throw failure(errno) }
        if draft == nil {
            // Only a file with a name can replace a file.
            let draft = NewFile.hidden(name)
            guard link(as: draft) == 0 else { throw failure(errno) }
            self.draft = draft
        }
        try isRight()
        guard let draft, renameat(folder.descriptor, draft, folder.descriptor, name) == 0 else { throw failure(errno) }
        self.draft = nil
        try folder.sync()
    }

    private static func hidden(_ name: String) -> String { ".\(name).\(hexadecimal16(.random(in: .min ... .max)))" }

    private func link(as name: String) -> Int32 {
        linkat(AT_FDCWD, NewFile.path(of: descriptor), folder.descriptor, name, AT_SYMLINK_FOLLOW)
    }

    private static func path(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private func failure(_ code: Int32) -> FileFailure { folder.failure(name, code) }
}
