/// Asks the daemon to stop; asking again changes nothing.
final class StopTrigger: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func fire() { continuation.finish() }

    /// Returns when somebody has asked, or the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
