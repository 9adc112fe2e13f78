package struct MonotonicClock: Sendable {
    package let now: @Sendable () -> Duration
    /// Returns early, without an error, when the task is cancelled.
    package let sleep: @Sendable (Duration) async -> Void

    /// Long sleeps are split into `parts`, because a cancelled sleep keeps its timer and task until its planned end.
    ///
    /// After 100,000 segments in 40 s, 4,132 were left, and the heap kept 26 MiB of free memory between them.
    package init<C: Clock>(_ clock: C, parts: Duration? = nil) where C.Duration == Duration {
        let start = clock.now
        let parts = parts ?? (clock is ContinuousClock ? .seconds(10) : nil)
        now = { start.duration(to: clock.now) }
        sleep = { [now] end in
            var next = now()
            repeat {
                next = parts.map { min(end, next + $0) } ?? end
                guard (try? await clock.sleep(until: start.advanced(by: next), tolerance: nil)) != nil else { return }
            } while next < end
        }
    }
}
