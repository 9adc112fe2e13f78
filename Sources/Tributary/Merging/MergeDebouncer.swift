/// Decides when the main context merges: after a quiet period, but never later than a ceiling.
///
/// Each announcement starts the quiet period again; the ceiling counts from the first announcement that is not merged,
/// so that a steady stream cannot starve the main context. Times are durations since any fixed moment; this type has no
/// clock.
struct MergeDebouncer: Sendable {
    enum Action: Hashable, Sendable {
        /// Nothing to do until the next announcement, or until the running timer ends.
        case none
        /// `timerFired(at:)` must be called at this time.
        case sleep(until: Duration)
        case merge
    }

    private enum State {
        case idle
        /// A timer runs, at the latest until `deadline`.
        case waiting(first: Duration, deadline: Duration, timer: Duration)
    }

    var quiet: Duration
    var ceiling: Duration
    private var state = State.idle

    init(quiet: Duration, ceiling: Duration) {
        self.quiet = quiet
        self.ceiling = ceiling
    }

    var deadline: Duration? {
        if case .waiting(_, let deadline, _) = state { deadline } else { nil }
    }

    /// Announces that a save or an import has been committed.
    mutating func announce(at now: Duration) -> Action {
        switch state {
        case .idle:
            let deadline = now + min(quiet, ceiling)
            state = .waiting(first: now, deadline: deadline, timer: deadline)
            return .sleep(until: deadline)
        case .waiting(let first, _, let timer):
            let deadline = min(now + quiet, first + ceiling)
            // A timer that ends too early schedules another one; only one that would end too late has to be replaced.
            state = .waiting(first: first, deadline: deadline, timer: min(timer, deadline))
            return deadline < timer ? .sleep(until: deadline) : .none
        }
    }

    /// Handles the end of the timer, or a check whether it should have ended.
    mutating func timerFired(at now: Duration) -> Action {
        guard case .waiting(let first, let deadline, _) = state else { return .none }
        if now >= deadline { return .merge }
        state = .waiting(first: first, deadline: deadline, timer: deadline)
        return .sleep(until: deadline)
    }

    mutating func merged() {
        state = .idle
    }

    /// The announcements stay pending, and a quiet period passes before the merge is tried again.
    mutating func failed(at now: Duration) -> Action {
        guard case .waiting = state else { return .none }
        let deadline = now + quiet
        // The ceiling counts from here, so that a failing store is not tried at each announcement.
        state = .waiting(first: now, deadline: deadline, timer: deadline)
        return .sleep(until: deadline)
    }
}
