import Foundation
import Glibc

/// The systemd unit that this process is the main process of.
struct ServiceUnit: Hashable {
    /// Such as `tributaryd@shop.service`.
    var name: String
    /// Whether it is one of the user's own service manager.
    var isOfUser: Bool

    /// The unit of this process; nil for a daemon that somebody started by hand, even from within a unit.
    ///
    /// libsystemd cannot tell: it also wants to see process 1, which the unit's sandbox hides.
    static let current: ServiceUnit? = {
        guard ProcessInfo.processInfo.environment["SYSTEMD_EXEC_PID"] == String(getpid()) else { return nil }
        return (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)).flatMap(
            ServiceUnit.init(controlGroups:)
        )
    }()

    /// Reads `/proc/PID/cgroup`: a line `NUMBER:CONTROLLERS:PATH` for each hierarchy, in which a service has a group.
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

    /// What an administrator types to restart the service.
    var restartCommand: String { "systemctl \(isOfUser ? "--user " : "")restart \(name)" }
}
