/// A clock whose times are durations since it was made, beside the wall clock.
struct SyncClock: Sendable {
    let now: @Sendable () -> Duration
    /// Returns early, without an error, when the task is cancelled.
    let sleep: @Sendable (Duration) async -> Void
    /// Unix milliseconds.
    let wall: @Sendable () -> UInt64

    init<C: Clock>(_ clock: C, wall: @escaping @Sendable () -> UInt64) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try? await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        self.wall = wall
    }
}
