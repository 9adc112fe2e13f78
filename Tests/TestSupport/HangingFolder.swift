import Foundation
import Glibc

/// Makes the kernel block the opening of files and folders, as a mount does whose server is down.
///
/// A process that opens one waits until the folder is released, or the process is killed. fanotify(7) asks this process
/// for a permission that it does not give. Needs root.
package final class HangingFolder: Sendable {
    package enum Failure: Error {
        case cannotMark(path: String, code: Int32)
    }

    private let descriptor: Int32

    private typealias Initialize = @convention(c) (UInt32, UInt32) -> Int32
    private typealias Mark = @convention(c) (Int32, UInt32, UInt64, Int32, UnsafePointer<CChar>) -> Int32

    /// The reason why a test cannot use it on this machine; nil when it can.
    package static var reasonNotToHang: String? {
        let descriptor = initialize()
        guard descriptor >= 0 else {
            return "fanotify with permissions is not available here: \(String(cString: strerror(errno)))"
        }
        close(descriptor)
        return nil
    }

    /// Makes every opening of `path` hang from now on; with `children`, also the opening of the folder's entries.
    package init(_ path: String, children: Bool = false) throws {
        descriptor = HangingFolder.initialize()
        guard descriptor >= 0 else { throw Failure.cannotMark(path: path, code: errno) }
        // FAN_OPEN_PERM, FAN_ONDIR; FAN_EVENT_ON_CHILD.
        let mask: UInt64 = 0x0001_0000 | 0x4000_0000 | (children ? 0x0800_0000 : 0)
        let mark: Mark? = HangingFolder.function("fanotify_mark")
        // FAN_MARK_ADD; AT_FDCWD.
        guard let mark, mark(descriptor, 1, mask, -100, path) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.cannotMark(path: path, code: code)
        }
    }

    deinit { close(descriptor) }

    package func waitForVictim() async throws {
        try await onThread { [descriptor] in
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while Glibc.poll(&poll, 1, -1) < 0, errno == EINTR {}
        }
    }

    private static func initialize() -> Int32 {
        let initialize: Initialize? = function("fanotify_init")
        // FAN_CLASS_CONTENT, FAN_CLOEXEC.
        return initialize?(4 | 1, UInt32(O_RDONLY)) ?? -1
    }

    private static func function<Function>(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
}

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
