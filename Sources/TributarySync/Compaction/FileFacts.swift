import Glibc
import TransactionLog
import TributaryChanges

/// The size, the age and the mark of a file in the log folder.
struct FileFacts: Hashable, Sendable {
    var bytes: UInt64
    /// The wall time of the last change of its bytes.
    var since: WallTime
    /// Tells the file from a former one of its name.
    var mark: FileAttributes

    /// Looks at a file; nil when there is no regular file of this path.
    init?(_ path: String, in logs: LogFolder) {
        var status = stat()
        guard fstatat(logs.descriptor, path, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        mark = FileAttributes(status)
        bytes = UInt64(clamping: status.st_size)
        let seconds = UInt64(clamping: status.st_mtim.tv_sec).multipliedSaturating(by: 1_000)
        since = WallTime(milliseconds: seconds.addingSaturating(UInt64(clamping: status.st_mtim.tv_nsec / 1_000_000)))
    }
}
