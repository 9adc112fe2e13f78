import Synchronization
import TributaryChanges
import TributaryStore

/// The committed changes that are not yet merged into the main context, in bounded memory.
///
/// Change notifications are added and removed under the write lock, so that those removed are exactly those that a
/// generation pinned under the lock contains. Beyond its limit of IDs they collapse: per entity first, then to
/// "everything".
final class PendingNotifications: Sendable {
    private struct State {
        var options: MergeOptions
        var debouncer: MergeDebouncer
        var changes: ObjectChanges?
        /// Whether the timer may merge.
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

    /// The time until the next merge is due, negative when it is overdue; nil when none is.
    var timeUntilMerge: Duration? {
        state.withLock { state in
            guard state.isAutomatic, let deadline = state.debouncer.deadline else { return nil }
            return deadline - clock.now()
        }
    }

    var isDue: Bool {
        state.withLock { state in
            guard state.isAutomatic, let deadline = state.debouncer.deadline else { return false }
            return clock.now() >= deadline
        }
    }

    /// Stops the timer, or starts it again; an overdue merge then runs at once.
    func setAutomatic(_ isAutomatic: Bool) {
        state.withLock { $0.isAutomatic = isAutomatic }
        if isAutomatic { timerChange.raise() }
    }

    /// Runs the timer until the task is cancelled; `merge` returns whether it succeeded.
    func run(merge: @Sendable () async -> Bool) async {
        while !Task.isCancelled {
            await timerChange.wait()
            var isPending = true
            while isPending, !Task.isCancelled {
                switch next() {
                case .none: isPending = false
                case .sleep(let deadline): await timerChange.wait(until: deadline, on: clock)
                case .merge:
                    if await !merge() { postpone() }
                }
            }
        }
    }

    /// Adds the changes of a commit.
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

    /// Removes and returns all changes; nil when there are none.
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

    /// Records that a merge has failed before it removed any changes.
    private func postpone() {
        _ = state.withLock { $0.debouncer.failed(at: clock.now()) }
    }
}
