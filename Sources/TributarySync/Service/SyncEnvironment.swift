import Logging
import TributaryChanges
import TributaryStore

/// What all parts of the service work with.
struct SyncEnvironment: Sendable {
    let replica: any LocalReplica
    /// The store's own writer: its segments are exported and never imported.
    let own: UniqueID
    let clock: MonotonicClock
    let logger: Logger

    var store: Store { replica.store }

    /// Unix milliseconds.
    var wall: UInt64 { store.configuration.environment.wallMilliseconds() }
}
