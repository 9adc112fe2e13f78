import Synchronization
import TestSupport
import TributaryChanges

/// The only coarse clock of a schedule: it stands still until a tick, so that the clocks of writers tie.
final class SimulatedClock: Sendable {
    private static let start: WallTime = 1_700_000_000_000
    private let ticks = Mutex<UInt64>(10)

    func tick() { ticks.withLock { $0 += 1 } }

    /// The time that a clock shows which is ahead by `skew` ticks of a second.
    func time(skew: Int = 0) -> WallTime {
        SimulatedClock.start.later(by: .seconds(Int(ticks.withLock { $0 }) + skew))
    }
}
