import TributaryStore

/// Runs the debouncer: sleeps on the given clock and starts a merge when one is due.
///
/// It has no timer while nothing waits to be merged.
actor MergeScheduler {
    private let clock: MonotonicClock
    private let signal: Signal

    /// Creates a scheduler that `signal` wakes, from the wait for a change notification or for a due merge.
    init(clock: MonotonicClock, signal: Signal) {
        self.clock = clock
        self.signal = signal
    }

    /// Runs until the task is cancelled.
    ///
    /// `merge` returns whether it succeeded.
    func run(_ pendingNotifications: PendingNotifications, merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            await signal.wait()
            await runTimer(pendingNotifications, merge: merge)
        }
    }

    /// Sleeps and merges until no change is pending.
    private func runTimer(_ pendingNotifications: PendingNotifications, merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            switch pendingNotifications.next() {
            case .none: return
            case .sleep(let deadline): await signal.wait(until: deadline, on: clock)
            case .merge:
                if await !merge() { pendingNotifications.postpone() }
            }
        }
    }
}
