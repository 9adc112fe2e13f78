import CLinux
import Glibc
import TributaryChanges

/// The folder in memory with the tokens of a user's stores; see ``WriterToken``.
enum TokenFolder {
    /// The kinds of file systems that vanish with a boot: tmpfs and ramfs.
    private static let kinds: Set<UInt32> = [0x0102_1994, 0x8584_58F6]

    /// The path of a user's folder, which is made when it is not there; nil where none can be trusted.
    static func path(of user: uid_t) -> String? {
        let path = "/dev/shm/tributary-\(user)"
        if mkdir(path, 0o700) == 0, user != geteuid() { chown(path, user, gid_t.max) }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user,
            status.st_mode & 0o077 == 0, kinds.contains(clinux_file_system(path))
        else { return nil }
        return path
    }

    static var clockDifference: Int64 {
        func milliseconds(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
        }
        return milliseconds(CLOCK_REALTIME) &- milliseconds(CLOCK_BOOTTIME)
    }
}
