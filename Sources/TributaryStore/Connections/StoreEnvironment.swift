import Foundation
package import TributaryChanges

/// The clock, the random numbers and the home of new stores; tests replace them.
package struct StoreEnvironment: Sendable {
    package var wallTime: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64
    /// Returns the home that a new store records for its file at the path; nil for none.
    package var home: @Sendable (_ path: String) -> StoreHome?

    package init(
        wallTime: @escaping @Sendable () -> WallTime,
        random: @escaping @Sendable () -> UInt64,
        home: @escaping @Sendable (_ path: String) -> StoreHome? = { _ in nil }
    ) {
        self.wallTime = wallTime
        self.random = random
        self.home = home
    }

    /// The system's clock and random numbers, and homes on this machine.
    package static let system: StoreEnvironment = {
        let supply = RandomSupply()
        return StoreEnvironment(
            wallTime: { WallTime(Date()) },
            random: { supply.next() },
            home: { StoreHome(ofNewStore: $0) }
        )
    }()

    package func newID() -> UniqueID {
        .version7(at: wallTime(), random: (random(), random()))
    }
}
