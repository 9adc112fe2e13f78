/// Asks the daemon to stop; asking again changes nothing.
final class StopTrigger: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation
    private let onFire: @Sendable () -> Void

    /// `onFire` is called at each wish to stop, on the thread of the one who has it.
    init(onFire: @escaping @Sendable () -> Void = {}) {
        (stream, continuation) = AsyncStream.makeStream()
        self.onFire = onFire
    }

    func fire() {
        onFire()
        continuation.finish()
    }

    /// Returns when somebody has asked, or the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
