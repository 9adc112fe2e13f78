/// A clock whose times are durations since its creation.
package struct MonotonicClock: Sendable {
    package let now: @Sendable () -> Duration
    /// Sleeps until the given time; returns early, without an error, when the task is cancelled.
    package let sleep: @Sendable (Duration) async -> Void

    package init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
