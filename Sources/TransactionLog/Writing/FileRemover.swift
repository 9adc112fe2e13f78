import CLinux
import Glibc
package import TributaryChanges

/// Removes files of the store's own writer from its folder, by name.
package struct FileRemover: Sendable {
    private let logs: LogFolder
    private let writer: UniqueID

    package init(_ logs: LogFolder, writer: UniqueID) {
        self.logs = logs
        self.writer = writer
    }

    /// Removes files in order; one that is gone already counts as removed.
    ///
    /// A crash leaves the later ones, which the next removal finds.
    ///
    /// - Returns: The number of files that were there.
    package func remove(_ names: [String]) throws(SegmentError) -> Int {
        guard !names.isEmpty else { return 0 }
        let path = "\(logs.path)/\(writer)"
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let folder = clinux_openat(logs.descriptor, writer.description, flags, 0)
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
}
