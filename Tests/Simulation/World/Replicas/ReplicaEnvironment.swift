import Synchronization
import TestSupport
import TributaryChanges
import TributaryStore

/// The clock of one replica, which may jump, and its random numbers.
final class ReplicaEnvironment: Sendable {
    private struct State {
        var clock = SimulatedClock()
        var skew = 0
        var random = SeededGenerator(seed: 0)
    }

    private let state = Mutex(State())

    /// Begins a schedule.
    ///
    /// - Parameters:
    ///   - clock: the common clock of the schedule.
    ///   - skew: the seconds by which the replica's clock is ahead of it.
    ///   - seed: decides about the random numbers.
    func begin(_ clock: SimulatedClock, skew: Int, seed: UInt64) {
        state.withLock { $0 = State(clock: clock, skew: skew, random: SeededGenerator(seed: seed)) }
    }

    var time: WallTime { state.withLock { $0.clock.time(skew: $0.skew) } }

    func jump(_ seconds: Int) { state.withLock { $0.skew += seconds } }

    /// Shows the common time from now on.
    func heal() { state.withLock { $0.skew = 0 } }

    /// The source of a store's times and random numbers.
    var ofStore: StoreEnvironment {
        StoreEnvironment(
            wallTime: { [self] in time },
            random: { [self] in state.withLock { $0.random.next() } }
        )
    }
}
