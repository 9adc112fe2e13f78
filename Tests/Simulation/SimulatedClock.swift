import Synchronization

/// The only coarse clock of a schedule: it stands still until a tick, so that the clocks of writers tie.
final class SimulatedClock: Sendable {
    private static let start: UInt64 = 1_700_000_000_000
    private let ticks = Mutex<UInt64>(10)

    func tick() { ticks.withLock { $0 += 1 } }

    func milliseconds(skew: Int = 0) -> UInt64 {
        SimulatedClock.start + UInt64(Int(ticks.withLock { $0 }) + skew) * 1000
    }
}
