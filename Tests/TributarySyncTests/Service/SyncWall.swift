import Synchronization

/// A wall clock that a test moves.
final class SyncWall: Sendable {
    /// 2024-06-20.
    static let start: UInt64 = 1_718_900_000_000
    private let milliseconds = Atomic<UInt64>(SyncWall.start + 1_000_000)

    var now: UInt64 { milliseconds.load(ordering: .relaxed) }

    func advance(milliseconds count: UInt64) { milliseconds.add(count, ordering: .relaxed) }
}
