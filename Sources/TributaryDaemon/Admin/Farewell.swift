import TributaryStore

/// Tells everyone who waits that the daemon stops.
final class Farewell: Sendable {
    private let broadcast = Broadcast<Never>(limit: 1)

    /// Ends all waiting, now and later.
    func say() { broadcast.finish() }

    /// Returns when the daemon stops, or the task is cancelled.
    func wait() async {
        for await _ in broadcast.stream() {}
    }
}
