/// The schedule of a stop: one deadline for all steps, from the request to stop to the end of the process.
struct StopSchedule: Sendable, Equatable {
    enum Action: Equatable, Sendable {
        case wait(until: Duration)
        case rollBack
        case leave
    }

    var timeout = Duration.seconds(85)

    /// The time for committing saves that wait behind a rolled-back import.
    ///
    /// With the default `shutdown.timeout` the process ends before the unit's TimeoutStopSec=.
    var grace: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(2)) }

    /// The time without progress after which work on the log folder is abandoned, and the time for closing connections.
    var timeLimit: Duration { min(max(timeout / 4, .milliseconds(500)), .seconds(5)) }

    /// Returns the action at a time since the request to stop; each action is returned once.
    func action(at elapsed: Duration, hasRolledBack: Bool) -> Action {
        if elapsed >= timeout + grace { return .leave }
        guard elapsed >= timeout else { return .wait(until: timeout) }
        return hasRolledBack ? .wait(until: timeout + grace) : .rollBack
    }
}
