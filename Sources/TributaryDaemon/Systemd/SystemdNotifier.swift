import CSystemd
import Dispatch
import Synchronization

/// Tells systemd what the daemon is doing; does nothing when it was not started by systemd.
package final class SystemdNotifier: Sendable {
    private let isActive: Bool
    private let lastStatus = Mutex("")

    package init(environment: [String: String]) {
        isActive = environment["NOTIFY_SOCKET"]?.isEmpty == false
    }

    /// The service is up.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// What the daemon is doing, sent when it differs from what was said last.
    func status(_ status: String) {
        let changed = lastStatus.withLock { last in
            defer { last = status }
            return last != status
        }
        if changed { send("STATUS=\(oneLine(status))") }
    }

    /// A configuration is being read again; `ready` follows in any case.
    func reloading() {
        let microseconds = DispatchTime.now().uptimeNanoseconds / 1_000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    func stopping() { send("STOPPING=1\nSTATUS=Stopping") }

    /// The daemon is alive and makes progress.
    func watchdog() { send("WATCHDOG=1") }

    /// Start or stop needs longer than the unit says.
    func extendTimeout(by duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000
        send("EXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    /// How often systemd wants to hear from the daemon, nil when it does not.
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
