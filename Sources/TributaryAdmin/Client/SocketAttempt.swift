package struct SocketAttempt: Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }

    /// The systemd unit that listens at the path according to the installed unit files; nil for a daemon without a
    /// unit.
    package var unit: String? {
        let folder = "/run/tributary/", suffix = ".sock"
        guard path.hasPrefix(folder), path.hasSuffix(suffix) else { return nil }
        let instance = path.dropFirst(folder.count).dropLast(suffix.count)
        guard !instance.isEmpty, !instance.contains("/") else { return nil }
        return instance == "admin" ? "tributaryd.service" : "tributaryd@\(instance).service"
    }

    /// The command that shows the reason in the journal.
    var hint: String? { unit.map { "hint: journalctl -u \($0) -n 20" } }
}
