import TributaryStore

/// Wakes the loops of the service.
struct SyncSignals: Sendable {
    let imports = Signal()
    /// The signal of the replica, which raises it after each local commit.
    let exports: Signal
    /// A signal that is raised when the baselines of the log folder have changed.
    let baselines = Signal()
    /// A signal that is raised once, when the service stops; it ends the debounce of an export early.
    let stop = Signal()
}
