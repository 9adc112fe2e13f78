import Synchronization
import TributaryAdmin

/// The exit status that results from the stop.
final class StopResult: Sendable {
    private let status = Mutex(ExitStatus.done)

    var value: ExitStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }
}
