import Foundation
import TestSupport
import Testing

/// Daemons whose log folder is a file system of its own, which only they see.
extension RunningDaemon {
    /// What keeps a test from using it here; nil when nothing does.
    static var reasonNotToMount: String? { getuid() == 0 ? nil : "mounting needs root" }

    /// Starts it with a file system of `bytes` as its log folder.
    func start(withLogsOf bytes: Int) async throws {
        let mount = #"mount -t tmpfs -o "size=$1,mode=2770" tmpfs "$2"; shift 2; exec "$@""#
        try await start(
            through: "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-ec", mount, "sh", "\(bytes)", logs]
        )
    }

    func resizeLogs(to bytes: Int) async throws {
        let running = try #require(process)
        let resize = try ChildProcess(
            "/usr/bin/nsenter",
            ["--target", "\(running.processID)", "--mount", "mount", "-o", "remount,size=\(bytes)", logs]
        )
        #expect(await resize.ending() == .exited(0))
    }
}
