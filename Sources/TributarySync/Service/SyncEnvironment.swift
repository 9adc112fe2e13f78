import Logging
import TributaryChanges
import TributaryStore

/// The replica, its own writer, the clock and the journal, which all parts of the service use.
struct SyncEnvironment: Sendable {
    let replica: any LocalReplica
    /// The store's own writer: its segments are exported and never imported.
    let own: UniqueID
    let clock: MonotonicClock
    let logger: Logger

    var store: Store { replica.store }

    /// The current wall time.
    var wall: WallTime { store.configuration.environment.wallTime() }
}
