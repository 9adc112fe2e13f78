import CSystemd
import Dispatch
import Foundation
import Glibc
import Synchronization

// This folder communicates with systemd: readiness, the watchdog and inherited sockets.

/// It has no effect when systemd did not start the daemon.
final class SystemdNotifier: Sendable {
    private let isActive: Bool
    private let lastStatus = Mutex("")

    init(environment: [String: String]) {
        isActive = environment["NOTIFY_SOCKET"]?.isEmpty == false
    }

    func ready(_ status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    func status(_ status: String) {
        let changed = lastStatus.withLock { last in
            defer { last = status }
            return last != status
        }
        if changed { send("STATUS=\(oneLine(status))") }
    }

    func reloading() {
        let microseconds = DispatchTime.now().uptimeNanoseconds / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    func stopping() { send("STOPPING=1\nSTATUS=Stopping") }

    func watchdog() { send("WATCHDOG=1") }

    func extendTimeout(by duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000
        send("EXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    private func send(_ state: String) {
        guard isActive else { return }
        _ = sd_notify(0, state)
    }

    private func oneLine(_ text: String) -> String { text.replacing("\n", with: " ") }
}

struct ServiceUnit: Hashable {
    var name: String
    var isOfUser: Bool

    /// Nil for a daemon that was started by hand; libsystemd cannot tell, because the sandbox hides process 1.
    static let current: ServiceUnit? = {
        guard ProcessInfo.processInfo.environment["SYSTEMD_EXEC_PID"] == String(getpid()) else { return nil }
        return (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)).flatMap(
            ServiceUnit.init(controlGroups:)
        )
    }()

    /// The lines of `/proc/PID/cgroup` are `NUMBER:CONTROLLERS:PATH`; a service has a group in one hierarchy.
    init?(controlGroups: String) {
        for line in controlGroups.split(separator: "\n") {
            let path = line.split(separator: ":", maxSplits: 2).last?.split(separator: "/") ?? []
            guard let name = path.last, name.hasSuffix(".service") else { continue }
            self.name = String(name)
            isOfUser = path.dropLast().contains { $0.hasPrefix("user@") && $0.hasSuffix(".service") }
            return
        }
        return nil
    }

    var restartCommand: String { "systemctl \(isOfUser ? "--user " : "")restart \(name)" }

    var journalCommand: String { "journalctl \(isOfUser ? "--user " : "")-u \(name) -n 20" }
}
