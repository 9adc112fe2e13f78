import Synchronization
import TestSupport
package import TributaryChanges

/// The only coarse clock of a schedule: it stands still until a tick, so that the clocks of writers tie.
package final class SimulatedClock: Sendable {
    private static let start: WallTime = 1_700_000_000_000
    private let ticks = Mutex<Int>(10)

    package init() {}

    package func tick(_ seconds: Int = 1) { ticks.withLock { $0 += seconds } }

    /// The time that a clock shows which is ahead by `skew` seconds.
    package func time(skew: Int = 0) -> WallTime {
        SimulatedClock.start.later(by: .seconds(ticks.withLock { $0 } + skew))
    }
}

/// A clock that stands still; nobody waits for it.
struct StandingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
