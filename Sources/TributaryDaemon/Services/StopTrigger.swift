/// Requests the stop of the daemon; repeated requests have no effect.
final class StopTrigger: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation
    private let onFire: @Sendable () -> Void

    /// Creates a trigger; `onFire` is called at each request, on the thread of the request.
    init(onFire: @escaping @Sendable () -> Void = {}) {
        (stream, continuation) = AsyncStream.makeStream()
        self.onFire = onFire
    }

    func fire() {
        onFire()
        continuation.finish()
    }

    /// Returns after a request, or when the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
