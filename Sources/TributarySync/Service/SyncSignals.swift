import TributaryStore

/// Wakes the loops of the service.
struct SyncSignals: Sendable {
    let imports = Signal()
    let exports = Signal()
    /// Raised once, when the service stops: ends the debounce of an export early.
    let stop = Signal()
}
