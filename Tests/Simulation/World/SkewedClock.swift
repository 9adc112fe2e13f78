import Synchronization
import TributaryChanges

/// The clock of one replica, which may jump.
final class SkewedClock: Sendable {
    private let clock: SimulatedClock
    private let skew: Mutex<Int>

    init(_ clock: SimulatedClock, skew: Int) {
        self.clock = clock
        self.skew = Mutex(skew)
    }

    var time: WallTime { clock.time(skew: skew.withLock { $0 }) }

    func jump(_ seconds: Int) { skew.withLock { $0 += seconds } }

    /// Shows the common time from now on.
    func heal() { skew.withLock { $0 = 0 } }
}
