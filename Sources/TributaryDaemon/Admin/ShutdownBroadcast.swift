import TributaryStore

/// A broadcast that the daemon shuts down, which ends all change streams.
final class ShutdownBroadcast: Sendable {
    private let broadcast = Broadcast<Never>(limit: 1)

    /// Ends all present and future calls of ``wait()``.
    func send() { broadcast.finish() }

    /// Returns after ``send()``, or when the task is cancelled.
    func wait() async {
        for await _ in broadcast.stream() {}
    }
}
