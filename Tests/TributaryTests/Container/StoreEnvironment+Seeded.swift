import Synchronization
import TestSupport
import TributaryStore

extension StoreEnvironment {
    /// A clock that stands still and random numbers that can be had again.
    static func seeded(_ seed: UInt64) -> StoreEnvironment {
        let generator = Mutex(SeededGenerator(seed: seed))
        return StoreEnvironment(
            wallTime: { 1_700_000_000_000 },
            random: { generator.withLock { $0.next() } }
        )
    }
}
