import Synchronization
import TributaryAdmin

/// How the stop went, for the exit status.
final class StopOutcome: Sendable {
    private let status = Mutex(ExitStatus.done)

    var value: ExitStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }
}
