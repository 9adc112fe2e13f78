import CLinux
import Glibc

/// Syncs the WAL of a store to the disk, whatever the connection's own setting is.
///
/// Without a WAL everything is in the store's file.
struct StoreSync {
    let path: String

    func run() throws {
        let path = path + "-wal"
        let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw ExportFailure.cannotSync(path: path, code: errno) }
            return
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ExportFailure.cannotSync(path: path, code: errno) }
    }
}
