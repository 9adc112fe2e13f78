import TributaryStore

/// Tells any number of waiting tasks, once, that something ends.
final class ShutdownBroadcast: Sendable {
    private let broadcast = Broadcast<Never>(limit: 1)
    private let onSend: @Sendable () -> Void

    /// Creates a broadcast; each ``send()`` calls `onSend` on its thread.
    init(onSend: @escaping @Sendable () -> Void = {}) {
        self.onSend = onSend
    }

    /// Ends all present and future calls of ``wait()``.
    func send() {
        onSend()
        broadcast.finish()
    }

    /// Returns after ``send()``, or when the task is cancelled.
    func wait() async {
        for await _ in broadcast.stream() {}
    }
}
