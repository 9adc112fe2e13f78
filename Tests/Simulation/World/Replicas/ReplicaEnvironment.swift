import Synchronization
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

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

/// The store of a replica as the sync sees it: imports are committed on the caller's thread.
final class SteppedReplica: LocalReplica {
    let store: Store
    let commitSignal = Signal()
    private let crashes: CrashPlan

    init(store: Store, crashes: CrashPlan) {
        self.store = store
        self.crashes = crashes
    }

    var shownTransaction: Int64 { 0 }

    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try store.write { transaction in
            let result = try block(transaction).0
            try crashes.reach(.importBeforeCommit)
            return result
        } committed: { _, _ in
            try crashes.reach(.importAfterCommit)
        }
    }

    func mergePendingChanges() async {}
}

/// An older copy of a replica's store.
struct ReplicaSnapshot {
    let image: StoreImage
    let writer: UniqueID
    /// The transactions of its writer that the store has committed.
    let own: [LogTransaction]
    /// The model of the store.
    let model: Model
    /// The segments of its writer that were in the log folder.
    let files: Set<SegmentName>
}
