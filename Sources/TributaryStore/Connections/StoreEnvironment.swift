import Foundation
package import TributaryChanges

/// The clock and the random numbers that a store uses; tests replace them.
package struct StoreEnvironment: Sendable {
    package var wallTime: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64

    package init(
        wallTime: @escaping @Sendable () -> WallTime,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.wallTime = wallTime
        self.random = random
    }

    /// The system's clock and random numbers.
    package static let system: StoreEnvironment = {
        let supply = RandomSupply()
        return StoreEnvironment(
            wallTime: { WallTime(Date()) },
            random: { supply.next() }
        )
    }()

    /// Creates a UUID of version 7.
    package func newID() -> UniqueID {
        .version7(at: wallTime(), random: (random(), random()))
    }
}
