import Foundation
import Glibc

/// The systemd unit whose main process is this process.
struct ServiceUnit: Hashable {
    var name: String
    var isOfUser: Bool

    /// The unit of this process; nil for a daemon that was started by hand, even within a unit.
    ///
    /// libsystemd cannot determine it: it needs to see process 1, which the unit's sandbox hides.
    static let current: ServiceUnit? = {
        guard ProcessInfo.processInfo.environment["SYSTEMD_EXEC_PID"] == String(getpid()) else { return nil }
        return (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)).flatMap(
            ServiceUnit.init(controlGroups:)
        )
    }()

    /// Parses `/proc/PID/cgroup`: a line `NUMBER:CONTROLLERS:PATH` for each hierarchy, in which a service has a group.
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
