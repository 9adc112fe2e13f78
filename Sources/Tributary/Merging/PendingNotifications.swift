import Synchronization
import TributaryChanges
import TributaryStore

/// The write lock makes the removed changes exactly the changes of a generation that is pinned under it.
///
/// Too many changes collapse: first per entity, then to "everything".
final class PendingNotifications: Sendable {
    private struct State {
        var options: MergeOptions
        var debouncer: MergeDebouncer
        var changes: ObjectChanges?
        var isAutomatic = true
    }

    private let clock: MonotonicClock
    private let state: Mutex<State>
    /// Raised when a timer has to be started, or restarted because it would end too late.
    private let timerChange = Signal()

    init(options: MergeOptions, clock: any Clock<Duration>) {
        self.clock = MonotonicClock(clock)
        let debouncer = MergeDebouncer(quiet: options.debounce, ceiling: options.ceiling)
        state = Mutex(State(options: options, debouncer: debouncer))
    }

    var options: MergeOptions {
        get { state.withLock { $0.options } }
        set {
            state.withLock { state in
                state.options = newValue
                state.debouncer.quiet = newValue.debounce
                state.debouncer.ceiling = newValue.ceiling
            }
        }
    }

    var isEmpty: Bool { state.withLock { $0.changes == nil } }

    var timeUntilMerge: Duration? {
        state.withLock { state in
            guard state.isAutomatic, let deadline = state.debouncer.deadline else { return nil }
            return deadline - clock.now()
        }
    }

    var isDue: Bool { timeUntilMerge.map { $0 <= .zero } ?? false }

    func setAutomatic(_ isAutomatic: Bool) {
        state.withLock { $0.isAutomatic = isAutomatic }
        if isAutomatic { timerChange.raise() }
    }

    func run(merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            await timerChange.wait()
            var isPending = true
            while isPending, !Task.isCancelled {
                switch next() {
                case .none: isPending = false
                case .sleep(let deadline): await timerChange.wait(until: deadline, on: clock)
                case .merge:
                    if await !merge() { _ = state.withLock { $0.debouncer.failed(at: clock.now()) } }
                }
            }
        }
    }

    @discardableResult
    func post(_ changes: ObjectChanges) -> MergeDebouncer.Action {
        let action = state.withLock { state in
            var all = state.changes ?? ObjectChanges(limit: state.options.pendingLimit)
            // Only one reference to the changes remains, so that nothing is copied.
            state.changes = nil
            all.formUnion(changes)
            state.changes = all
            return state.debouncer.announce(at: clock.now())
        }
        if action != .none { timerChange.raise() }
        return action
    }

    func drain() -> ObjectChanges? {
        state.withLock { state in
            state.debouncer.merged()
            defer { state.changes = nil }
            return state.changes
        }
    }

    func next() -> MergeDebouncer.Action {
        state.withLock { $0.isAutomatic ? $0.debouncer.timerFired(at: clock.now()) : .none }
    }
}

/// Each announcement starts the quiet period again, but not the ceiling: a stream cannot starve the main context.
struct MergeDebouncer: Sendable {
    enum Action: Hashable, Sendable {
        case none
        case sleep(until: Duration)
        case merge
    }

    private enum State {
        case idle
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

    mutating func announce(at now: Duration) -> Action {
        switch state {
        case .idle:
            let deadline = now + min(quiet, ceiling)
            state = .waiting(first: now, deadline: deadline, timer: deadline)
            return .sleep(until: deadline)
        case .waiting(let first, _, let timer):
            let deadline = min(now + quiet, first + ceiling)
            // A timer that ends too early schedules another timer; only a timer that would end too late has to be
            // replaced.
            state = .waiting(first: first, deadline: deadline, timer: min(timer, deadline))
            return deadline < timer ? .sleep(until: deadline) : .none
        }
    }

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
        // The ceiling begins here, so that a failing store is not tried at each announcement.
        state = .waiting(first: now, deadline: deadline, timer: deadline)
        return .sleep(until: deadline)
    }
}
