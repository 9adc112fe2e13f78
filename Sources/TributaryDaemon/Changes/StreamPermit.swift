/// A permit for one change stream, returned when the last reference is released.
final class StreamPermit: Sendable {
    private let counters: AdminCounters

    init?(_ counters: AdminCounters) {
        guard counters.beginStream() else { return nil }
        self.counters = counters
    }

    deinit { counters.endStream() }
}
