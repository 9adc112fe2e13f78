import CLinux
import Glibc

/// Syncs the WAL of a store to the disk, whatever the connection's own setting is.
///
/// Without a WAL everything is in the store's file.
struct StoreSync {
    /// The path of the store.
    let path: String

    /// Syncs the WAL.
    ///
    /// - Throws: ``ExportFailure`` `cannotSync`.
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
