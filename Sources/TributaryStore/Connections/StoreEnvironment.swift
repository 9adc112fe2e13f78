import Foundation
package import TributaryChanges

/// The clock, the random numbers and the home of stores; tests replace them.
package struct StoreEnvironment: Sendable {
    package var wallTime: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64
    /// Returns the home of the store at the path; nil for none.
    package var home: @Sendable (_ path: String) -> StoreHome?
    /// Returns the folder of the writers' tokens for a user: on a file system in memory, and nobody else's; nil for
    /// none.
    package var tokens: @Sendable (_ user: UInt32) -> String? = { WriterToken.Folder.path(of: $0) }
    /// Returns the milliseconds by which the wall clock is ahead of the time since the boot.
    package var clockDifference: @Sendable () -> Int64 = { WriterToken.Folder.clockDifference }

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
            home: { StoreHome(ofStoreAt: $0) }
        )
    }()

    package func newID() -> UniqueID {
        .version7(at: wallTime(), random: (random(), random()))
    }
}
