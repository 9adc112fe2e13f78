/// One of the places for clients that follow the changes, given back when the last reference is gone.
final class StreamPlace: Sendable {
    private let counters: AdminCounters

    /// Nil when all places are taken.
    init?(_ counters: AdminCounters) {
        guard counters.beginStream() else { return nil }
        self.counters = counters
    }

    deinit { counters.endStream() }
}
