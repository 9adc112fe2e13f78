import Synchronization
import TributaryAdmin
import TributaryStore

/// How many reads for clients may be under way or wait at one time, and what became of those that did not end well.
final class ReadingRoom: Sendable {
    /// Each holds a connection of a client and what it has asked for.
    static let most = 256

    private let count = Atomic(0)
    private let cancelledCount = Atomic<UInt64>(0)
    private let timedOutCount = Atomic<UInt64>(0)
    private let most: Int

    init(most: Int = ReadingRoom.most) {
        self.most = most
    }

    /// Reads that are under way or wait.
    var current: Int { count.load(ordering: .relaxed) }
    /// Reads that ended because the client hung up.
    var cancelled: UInt64 { cancelledCount.load(ordering: .relaxed) }
    /// Reads that took longer than they may.
    var timedOut: UInt64 { timedOutCount.load(ordering: .relaxed) }

    /// Runs a read, unless there are too many.
    ///
    /// - Throws: ``ProblemDocument`` `too-many-clients`, and what `body` throws.
    func admit<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            count.subtract(1, ordering: .relaxed)
            throw ProblemDocument(
                .tooManyClients,
                detail: "\(most) reads wait already",
                hint: "try again in a moment"
            )
        }
        defer { count.subtract(1, ordering: .relaxed) }
        do {
            return try await body()
        } catch {
            if error is CancellationError { cancelledCount.add(1, ordering: .relaxed) }
            if case StoreError.timedOut = error { timedOutCount.add(1, ordering: .relaxed) }
            throw error
        }
    }
}
