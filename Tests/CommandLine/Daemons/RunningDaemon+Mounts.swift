import Foundation
import TestSupport
import TestTraits
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
        // What the status knows of a disk may be a second old, or older on a busy machine.
        while try await problems().contains("disk-low") {}
    }
}

extension RunningDaemon {
    /// A foreign writer with a correct clock; each number denotes another writer.
    static func foreignWriter(_ number: UInt8 = 1) -> ForeignWriter {
        let digits = String(number, radix: 16)
        return ForeignWriter(
            id: "5f0c0000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits,
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000)
        )
    }

    static func employee(_ number: UInt8) -> String {
        let digits = String(number, radix: 16)
        return "0190f1a2-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Returns the line that inserts an employee whose ID is derived from a number.
    static func insertion(_ number: UInt8, name: String? = nil) -> String {
        #"{"insert":"Employee","id":"\#(employee(number))","values":{"name":"\#(name ?? "N\(number)")"}}"#
    }
}

extension ConcurrentTestLimit {
    fileprivate static let daemons = ConcurrentTestLimit(places: 6)
}

extension Trait where Self == ConcurrentTestLimit {
    /// Limits the number of tests with daemons that run at one time.
    ///
    /// Daemons without processor time would respond later than their clients wait, and the system gives a user 128
    /// inotify instances.
    static var daemonTurns: Self { .daemons }
}
