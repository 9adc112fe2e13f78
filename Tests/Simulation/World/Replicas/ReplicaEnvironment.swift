import Foundation
import Synchronization
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// The machine of one replica: its clock, which may jump, its random numbers, and its memory with the tokens.
final class ReplicaEnvironment: Sendable {
    private struct State {
        var clock = SimulatedClock()
        var skew = 0
        /// The skew with which the machine began.
        var beginning = 0
        var random = SeededGenerator(seed: 0)
        /// The machine as it says itself, and the folder in its memory.
        var machine = ""
        var tokens: String?
        /// The home that a store takes for its own on a machine whose disk was copied.
        var home: StoreHome?
    }

    private let state = Mutex(State())

    /// Begins a schedule; the replica's clock is ahead of the common one by `skew` seconds.
    func begin(_ clock: SimulatedClock, skew: Int, seed: UInt64) {
        let random = SeededGenerator(seed: seed)
        state.withLock { $0 = State(clock: clock, skew: skew, beginning: skew, random: random) }
    }

    /// Goes on on a machine, as it says itself, where a store takes `home` for its home; nil for its file.
    func settle(on machine: String, _ tokens: String, as home: StoreHome? = nil) throws {
        try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: true)
        state.withLock { ($0.machine, $0.tokens, $0.home) = (machine, tokens, home) }
    }

    var time: WallTime { state.withLock { $0.clock.time(skew: $0.skew) } }
    var machine: String { state.withLock(\.machine) }
    var tokens: String? { state.withLock(\.tokens) }

    func jump(_ seconds: Int) { state.withLock { $0.skew += seconds } }

    /// Shows the common time from now on.
    func heal() { state.withLock { $0.skew = 0 } }

    var isRight: Bool { state.withLock { $0.skew == 0 } }

    func home(_ path: String) -> StoreHome? {
        state.withLock { state in
            state.home ?? MarkedFile(at: path).map { StoreHome(machine: state.machine, store: $0) }
        }
    }

    /// The path of the token of the store at a path; nil where there is no store.
    func token(ofStoreAt path: String) -> String? {
        var status = stat()
        guard let tokens, stat(path, &status) == 0 else { return nil }
        return "\(tokens)/\(status.st_dev)-\(status.st_ino)"
    }

    var ofStore: StoreEnvironment {
        var environment = StoreEnvironment(
            wallTime: { [self] in time },
            random: { [self] in state.withLock { $0.random.next() } },
            home: { [self] in home($0) }
        )
        environment.tokens = { [self] _ in tokens }
        environment.clockDifference = { [self] in state.withLock { Int64($0.skew - $0.beginning) * 1_000 } }
        return environment
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
    let model: Model
    /// Whether the store may find that it is a copy.
    let mayBeCopy: Bool
    /// The number of places where the replica had been.
    let moves: Int
    /// The segments that were in the log folder.
    let files: Set<SegmentName>
}
