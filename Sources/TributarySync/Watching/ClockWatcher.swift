import CLinux
@preconcurrency import Dispatch
import Glibc

/// Tells when somebody sets the wall clock: what is held until a time of that clock is looked at again.
///
/// Without the system's help, the next scan of the whole folder finds it.
final class ClockWatcher: Sendable {
    private let source: any DispatchSourceRead

    /// Calls `report` after each step of the clock until the watcher is released; nil when the system cannot watch it.
    init?(report: @escaping @Sendable () -> Void) {
        let descriptor = clinux_watch_clock()
        guard descriptor >= 0 else { return nil }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "tributary.clock")
        )
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { if clinux_clock_was_set(descriptor) != 0 { report() } }
        source.activate()
    }

    deinit { source.cancel() }
}
