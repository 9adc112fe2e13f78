import TributaryStore

/// Tells any number of waiting tasks, once, that something ends.
final class ShutdownBroadcast: Sendable {
    private let broadcast = Broadcast<Never>(limit: 1)
    private let onSend: @Sendable () -> Void

    /// Creates a broadcast; each ``send()`` calls `onSend` on its thread.
    init(onSend: @escaping @Sendable () -> Void = {}) {
        self.onSend = onSend
    }

    func send() {
        onSend()
        broadcast.finish()
    }

    func wait() async {
        for await _ in broadcast.stream() {}
    }
}
