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
        var debouncer: MergeDebouncer
        var limit: Int
        var changes: ObjectChanges?
        /// Whether the timer may merge.
        var isAutomatic = true
    }

    private let clock: MonotonicClock
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    /// Creates an empty list; `wake` is called when a timer has to be started, or restarted because it would end too late.
    init(options: MergeOptions, clock: MonotonicClock, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.wake = wake
        let debouncer = MergeDebouncer(quiet: options.debounce, ceiling: options.ceiling)
        state = Mutex(State(debouncer: debouncer, limit: options.pendingLimit))
    }

    /// Whether no changes are pending.
    var isEmpty: Bool { state.withLock { $0.changes == nil } }

    /// When the next merge is due.
    var deadline: Duration? { state.withLock { $0.isAutomatic ? $0.debouncer.deadline : nil } }

    /// Whether the timer has ended and may merge.
    var isDue: Bool {
        state.withLock { state in
            guard state.isAutomatic, let deadline = state.debouncer.deadline else { return false }
            return clock.now() >= deadline
        }
    }

    /// Stops the timer, or starts it again; an overdue merge then runs at once.
    func setAutomatic(_ isAutomatic: Bool) {
        state.withLock { $0.isAutomatic = isAutomatic }
        if isAutomatic { wake() }
    }

    func configure(_ options: MergeOptions) {
        state.withLock { state in
            state.debouncer.quiet = options.debounce
            state.debouncer.ceiling = options.ceiling
            state.limit = options.pendingLimit
        }
    }

    /// Adds the changes of a commit.
    func post(_ changes: ObjectChanges) {
        let action = state.withLock { state in
            var all = state.changes ?? ObjectChanges(limit: state.limit)
            // Only one reference to the changes remains, so that nothing is copied.
            state.changes = nil
            all.formUnion(changes)
            state.changes = all
            return state.debouncer.announce(at: clock.now())
        }
        if action != .none { wake() }
    }

    /// Removes and returns all changes; nil when there are none.
    func drain() -> ObjectChanges? {
        state.withLock { state in
            state.debouncer.merged()
            defer { state.changes = nil }
            return state.changes
        }
    }

    /// Returns the action that is due now.
    func next() -> MergeDebouncer.Action {
        state.withLock { $0.isAutomatic ? $0.debouncer.timerFired(at: clock.now()) : .none }
    }

    /// Makes the merge due now.
    func flush() -> MergeDebouncer.Action {
        state.withLock { $0.debouncer.flush(at: clock.now()) }
    }

    /// Records that a merge has failed before it removed any changes.
    func postpone() {
        _ = state.withLock { $0.debouncer.failed(at: clock.now()) }
    }
}
