import Logging
import TributaryChanges
import TributaryStore

/// The replica, the clock and the journal, which all parts of the service use.
struct SyncEnvironment: Sendable {
    let replica: any LocalReplica
    let clock: MonotonicClock
    let logger: Logger
    let activity: ActivityJournal

    var store: Store { replica.store }

    var wall: WallTime { store.configuration.environment.wallTime() }
}
