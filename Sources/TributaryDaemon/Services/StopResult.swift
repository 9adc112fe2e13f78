import Synchronization
import TributaryAdmin

final class StopResult: Sendable {
    private let status = Mutex(ExitStatus.done)

    var value: ExitStatus {
        get { status.withLock { $0 } }
        set { status.withLock { $0 = newValue } }
    }
}
