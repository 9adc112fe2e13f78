import Synchronization
import TestSupport
import TributaryChanges

/// A wall clock that a test moves.
final class SyncWall: Sendable {
    /// 2024-06-20.
    static let start: WallTime = 1_718_900_000_000
    private let milliseconds = Atomic<UInt64>(SyncWall.start.milliseconds + 1_000_000)

    var now: WallTime { WallTime(milliseconds: milliseconds.load(ordering: .relaxed)) }

    func advance(milliseconds count: UInt64) { milliseconds.add(count, ordering: .relaxed) }
}
