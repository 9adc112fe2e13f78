import Glibc

/// A mounted file system that never answers, as a network mount whose server is gone: for real, by the kernel.
///
/// Whoever as much as asks what the folder is waits until it is released, or its process is killed. It is a FUSE file
/// system whose program stays silent. Needs root.
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

    /// What keeps a test from using it here; nil when nothing does.
    package static var reasonNotToMount: String? {
        guard getuid() == 0 else { return "mounting needs root" }
        guard access("/dev/fuse", R_OK | W_OK) == 0 else { return "there is no /dev/fuse" }
        return nil
    }

    /// The folder at `path` is silent from now on.
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

    /// Those who wait get an error, and the folder is as it was.
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
