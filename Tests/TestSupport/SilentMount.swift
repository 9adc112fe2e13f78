import Glibc

/// A mounted file system that never answers, like a network mount whose server is down.
///
/// A process that only asks for the folder's attributes waits until the mount is released, or the process is killed.
/// The mount is a real FUSE file system whose program stays silent. Needs root.
package final class SilentMount: Sendable {
    package enum Failure: Error {
        case cannotMount(path: String, code: Int32)
    }

    private let path: String
    private let descriptor: Int32

    private typealias Mount =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UInt, UnsafePointer<CChar>
        ) -> Int32
    private typealias Unmount = @convention(c) (UnsafePointer<CChar>, Int32) -> Int32

    /// The reason why a test cannot use it on this machine; nil when it can.
    package static var reasonNotToMount: String? {
        guard getuid() == 0 else { return "mounting needs root" }
        guard access("/dev/fuse", R_OK | W_OK) == 0 else { return "there is no /dev/fuse" }
        return nil
    }

    /// Makes the folder at `path` silent from now on.
    package init(_ path: String) throws {
        self.path = path
        descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.cannotMount(path: path, code: errno) }
        let options = "fd=\(descriptor),rootmode=40000,user_id=0,group_id=0"
        let mount: Mount? = SilentMount.function("mount")
        guard let mount, mount("silent", path, "fuse", 0, options) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.cannotMount(path: path, code: code)
        }
    }

    /// Waiting processes get an error, and the folder has its former content again.
    deinit {
        close(descriptor)
        let unmount: Unmount? = SilentMount.function("umount2")
        // MNT_DETACH
        _ = unmount?(path, 2)
    }

    private static func function<Function>(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
}
