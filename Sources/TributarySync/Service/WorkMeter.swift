import Synchronization

/// Tells work that makes progress from work that hangs: how long ago the last step was.
///
/// A computer that sleeps does not count as silent.
package final class WorkMeter: Sendable {
    private let depth = Atomic(0)
    private let stepCount = Atomic<UInt64>(0)
    /// Nanoseconds of the clock at the last step, or when the work began.
    private let latest: Atomic<Int64>
    private let now: @Sendable () -> Duration

    /// `now` is the time since some fixed moment.
    package init(now: @escaping @Sendable () -> Duration = WorkMeter.awakeTime()) {
        self.now = now
        latest = Atomic(WorkMeter.nanoseconds(now()))
    }

    /// Time since the call, while the computer was awake.
    package static func awakeTime() -> @Sendable () -> Duration {
        let start = SuspendingClock.now
        return { start.duration(to: .now) }
    }

    /// Grows while there is progress.
    package var steps: UInt64 { stepCount.load(ordering: .relaxed) }

    /// How long the work under way has made no step; nil when there is none.
    package var silence: Duration? {
        guard depth.load(ordering: .acquiring) > 0 else { return nil }
        return max(.zero, now() - .nanoseconds(latest.load(ordering: .relaxed)))
    }

    /// Work begins; it may begin several times at once.
    package func begin() {
        latest.store(WorkMeter.nanoseconds(now()), ordering: .relaxed)
        depth.add(1, ordering: .releasing)
    }

    package func end() { depth.subtract(1, ordering: .releasing) }

    package func step() {
        stepCount.add(1, ordering: .relaxed)
        latest.store(WorkMeter.nanoseconds(now()), ordering: .relaxed)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
            &+ parts.attoseconds / 1_000_000_000
    }
}
