/// Runs the debouncer: sleeps on the given clock and calls for a merge when one is due.
///
/// It has no timer while nothing waits to be merged.
actor MergeScheduler {
    private let clock: MergeClock
    private let signal: MergeSignal

    init(clock: MergeClock, signal: MergeSignal) {
        self.clock = clock
        self.signal = signal
    }

    /// Runs until the task is cancelled.
    ///
    /// `merge` answers whether it succeeded.
    func run(_ mailbox: NoticeMailbox, merge: @Sendable () async -> Bool) async {
        for await _ in signal.wakeUps {
            await runTimer(mailbox, merge: merge)
            if Task.isCancelled { return }
        }
    }

    /// Sleeps and merges until nothing waits.
    private func runTimer(_ mailbox: NoticeMailbox, merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            switch mailbox.next() {
            case .none: return
            case .sleep(let deadline): await signal.sleep(until: deadline, on: clock, of: mailbox)
            case .merge:
                if await !merge() { mailbox.postpone() }
            }
        }
    }
}
