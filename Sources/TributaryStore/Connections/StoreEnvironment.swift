import Foundation
package import TributaryChanges

/// The clock and the random numbers that a store uses; tests replace them.
package struct StoreEnvironment: Sendable {
    /// Unix milliseconds.
    package var wallMilliseconds: @Sendable () -> UInt64
    package var random: @Sendable () -> UInt64

    package init(
        wallMilliseconds: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.random = random
    }

    /// The system's clock and random numbers.
    package static let system: StoreEnvironment = {
        let supply = RandomSupply()
        return StoreEnvironment(
            wallMilliseconds: { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) },
            random: { supply.next() }
        )
    }()

    /// Creates a UUID of version 7.
    package func newID() -> UniqueID {
        .version7(milliseconds: wallMilliseconds(), random: (random(), random()))
    }
}
