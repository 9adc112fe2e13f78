import Synchronization
import TributaryAdmin
import TributaryStore

/// Limits the reads for clients that run or wait at one time, and counts those that failed.
final class ReadLimiter: Sendable {
    /// The greatest number of reads; each one holds a client's connection and its request.
    static let limit = 256

    private let count = Atomic(0)
    private let cancelledCount = Atomic<UInt64>(0)
    private let timedOutCount = Atomic<UInt64>(0)
    private let limit: Int

    init(limit: Int = ReadLimiter.limit) {
        self.limit = limit
    }

    /// The number of reads that run or wait.
    var current: Int { count.load(ordering: .relaxed) }
    /// The number of reads that ended because the client closed the connection.
    var cancelled: UInt64 { cancelledCount.load(ordering: .relaxed) }
    /// The number of reads that exceeded their time limit.
    var timedOut: UInt64 { timedOutCount.load(ordering: .relaxed) }

    /// Runs a read, unless the limit is reached.
    ///
    /// - Throws: ``ProblemDocument`` `too-many-clients`; what `body` throws.
    func run<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            throw ProblemDocument(
                .tooManyClients,
                detail: "\(limit) reads wait already",
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
