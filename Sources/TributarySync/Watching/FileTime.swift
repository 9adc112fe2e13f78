import Glibc
package import TributaryChanges

/// A time stamp of a file, as `stat` gives it: any 64-bit number of seconds, also long before 1970 or after 2262.
package struct FileTime: Hashable, Sendable {
    package var seconds: Int64
    package var nanoseconds: Int64

    package init(seconds: Int64 = 0, nanoseconds: Int64 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Whether the time is more than the whole seconds of `age` before the wall time.
    package func isOlder(than age: Duration, at wall: WallTime) -> Bool {
        seconds < Int64(wall.milliseconds / 1000).subtractingSaturating(age.components.seconds)
    }
}
