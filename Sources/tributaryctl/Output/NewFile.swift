import CLinux
import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

/// A file that appears under its name whole, or not at all, and never in place of another one.
final class NewFile {
    /// The system's O_TMPFILE: a file without a name, of which nothing is left when the process ends.
    private static let unnamed = 0o20000000 | O_DIRECTORY

    let path: String
    private let descriptor: Int32
    private var draft: String?

    /// `isTaken` says that the name will be free only when the file is finished.
    init(_ path: String, mode: mode_t, isTaken: Bool = false) throws(CommandFailure) {
        self.path = path
        var status = stat()
        guard isTaken || lstat(path, &status) != 0 else { throw NewFile.failure(path, EEXIST) }
        let folder = path.folder
        var opened = open(folder, NewFile.unnamed | O_WRONLY | O_CLOEXEC, mode)
        if opened < 0 {
            let name = "\(path).part-\(getpid())"
            opened = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, mode)
            guard opened >= 0 else { throw NewFile.failure(path, errno) }
            draft = name
            // Whoever removes what was left of killed programs sees that it is being written.
            flock(opened, LOCK_EX | LOCK_NB)
        }
        descriptor = opened
        fchmod(descriptor, mode)
    }

    deinit {
        if let draft { unlink(draft) }
        close(descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw NewFile.failure(path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    func give(to user: uid_t, _ group: gid_t) throws(CommandFailure) {
        guard fchown(descriptor, user, group) == 0 else { throw NewFile.failure(path, errno) }
    }

    func finish() throws(CommandFailure) {
        guard fsync(descriptor) == 0 else { throw NewFile.failure(path, errno) }
        let result =
            if let draft {
                clinux_rename_noreplace(AT_FDCWD, draft, AT_FDCWD, path)
            } else {
                linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
            }
        guard result == 0 else { throw NewFile.failure(path, errno) }
        draft = nil
        try NewFile.syncFolder(of: path)
    }

    static func syncFolder(of path: String) throws(CommandFailure) {
        let folder = path.folder
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder, errno) }
    }

    static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(reason: "'\(path)': \(String(cString: strerror(code)))", status: .inputOutput)
    }
}
