import Foundation
import TestSupport
import Testing

/// Daemons whose log folder or store is on a separate file system in a mount namespace.
extension RunningDaemon {
    /// The reason why the machine cannot run the test; nil when it can.
    static var reasonNotToMount: String? { getuid() == 0 ? nil : "mounting needs root" }

    func start(withLogsOf bytes: Int) async throws {
        let mount = #"mount -t tmpfs -o "size=$1,mode=2770" tmpfs "$2"; shift 2; exec "$@""#
        try await start(
            through: "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-ec", mount, "sh", "\(bytes)", logs]
        )
    }

    func resizeLogs(to bytes: Int) async throws { try await resize(logs, to: bytes) }

    func start(withStoreOf bytes: Int) async throws {
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mount = """
            mount -t tmpfs -o "size=$1" tmpfs "$2"; export TRIBUTARY_STORE="$2/store.sqlite"; shift 2; exec "$@"
            """
        try await start(
            through: "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-ec", mount, "sh", "\(bytes)", disk]
        )
    }

    func resizeStore(to bytes: Int) async throws { try await resize(disk, to: bytes) }

    private var disk: String { folder.path("disk") }

    private func resize(_ place: String, to bytes: Int) async throws {
        let running = try #require(process)
        let resize = try ChildProcess(
            "/usr/bin/nsenter",
            ["--target", "\(running.processID)", "--mount", "mount", "-o", "remount,size=\(bytes)", place]
        )
        #expect(await resize.ending() == .exited(0))
    }
}
