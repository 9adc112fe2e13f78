import Synchronization
import TributaryAdmin

/// How many reads for clients may be under way or wait at one time.
final class ReadingRoom: Sendable {
    /// Each holds a connection of a client and what it has asked for.
    static let most = 256

    private let count = Atomic(0)
    private let most: Int

    init(most: Int = ReadingRoom.most) {
        self.most = most
    }

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
        return try await body()
    }
}
