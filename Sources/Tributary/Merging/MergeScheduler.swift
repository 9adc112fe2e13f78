import TributaryStore

/// Runs the debouncer: sleeps on the given clock and calls for a merge when one is due.
///
/// It has no timer while nothing waits to be merged.
actor MergeScheduler {
    private let clock: MonotonicClock
    private let signal: Signal

    /// `signal` wakes the scheduler, whether it waits for the first notice or until a merge is due.
    init(clock: MonotonicClock, signal: Signal) {
        self.clock = clock
        self.signal = signal
    }

    /// Runs until the task is cancelled.
    ///
    /// `merge` answers whether it succeeded.
    func run(_ mailbox: NoticeMailbox, merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            await signal.wait()
            await runTimer(mailbox, merge: merge)
        }
    }

    /// Sleeps and merges until nothing waits.
    private func runTimer(_ mailbox: NoticeMailbox, merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            switch mailbox.next() {
            case .none: return
            case .sleep(let deadline): await signal.wait(until: deadline, on: clock)
            case .merge:
                if await !merge() { mailbox.postpone() }
            }
        }
    }
}
