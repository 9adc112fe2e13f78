/// When a stop gives up what: one deadline for all of it, from the wish to stop to the end of the process.
struct StopSchedule: Sendable, Equatable {
    enum Action: Equatable, Sendable {
        /// Nothing to give up before this time.
        case wait(until: Duration)
        /// The import is rolled back, merging stops.
        case rollBack
        /// The process ends, whatever is still under way.
        case leave
    }

    /// `shutdown.timeout`.
    let timeout: Duration

    /// How long what was saved may take to be committed behind an import that is rolled back.
    ///
    /// With the default of `shutdown.timeout` the process has ended before the unit's TimeoutStopSec=.
    var grace: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(2)) }

    /// How long work on the log folder may make no step, and connections may take to end once the store is closed.
    var patience: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(5)) }

    /// What to do at a time since the wish to stop; each is due once.
    func action(at elapsed: Duration, hasRolledBack: Bool) -> Action {
        if elapsed >= timeout + grace { return .leave }
        guard elapsed >= timeout else { return .wait(until: timeout) }
        return hasRolledBack ? .wait(until: timeout + grace) : .rollBack
    }
}
