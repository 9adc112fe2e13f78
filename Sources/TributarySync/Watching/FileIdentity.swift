import Glibc
import TransactionLog
package import TributaryChanges

/// Distinguishes a file from a former file of its name, in 16 bytes; valid only in this process.
package struct FileIdentity: Hashable, Sendable {
    package let size: Int64
    private let digest: Int

    package init(_ attributes: FileAttributes) {
        size = attributes.size
        digest = attributes.hashValue
    }
}

package struct FileAttributes: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: FileTime
    /// Permissions and renames change it too.
    package var changed: FileTime

    package init(
        device: UInt64 = 0,
        inode: UInt64,
        size: Int64,
        modified: FileTime = FileTime(),
        changed: FileTime = FileTime()
    ) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }
}

extension FileAttributes {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileTime(status.st_mtim),
            changed: FileTime(status.st_ctim)
        )
    }

    init?(_ path: String, in logs: LogFolder) {
        var status = stat()
        guard fstatat(logs.descriptor, path, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(status)
    }

    var bytes: UInt64 { UInt64(clamping: size) }

    init(of file: OpenFile) throws(SegmentError) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw SegmentError.system(errno, file: file.file, doing: "examine the file")
        }
        self.init(status)
    }
}

extension FileTime {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}

/// A time stamp of a file, as `stat` returns it: any 64-bit number of seconds, also long before 1970 or after 2262.
package struct FileTime: Hashable, Sendable {
    package var seconds: Int64 = 0
    package var nanoseconds: Int64 = 0

    var wall: WallTime {
        let whole = UInt64(clamping: seconds).multipliedSaturating(by: 1_000)
        return WallTime(milliseconds: whole.addingSaturating(UInt64(clamping: nanoseconds / 1_000_000)))
    }

    package func isOlder(than age: Duration, at wall: WallTime) -> Bool {
        seconds < Int64(wall.milliseconds / 1000).subtractingSaturating(age.components.seconds)
    }
}
