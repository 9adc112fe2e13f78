import Synchronization

/// Wakes the scheduler, whether it waits for the first notice or sleeps until a merge is due.
final class MergeSignal: Sendable {
    let wakeUps: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let sleeper = Mutex<Task<Void, Never>?>(nil)

    init() {
        (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() {
        continuation.yield()
        sleeper.withLock { $0?.cancel() }
    }

    /// Sleeps until the time given or until it is woken.
    func sleep(until deadline: Duration, on clock: MergeClock, of mailbox: NoticeMailbox) async {
        // A task of its own so that a notice can end the sleep without ending the scheduler.
        let task = Task { await clock.sleep(deadline) }
        sleeper.withLock { $0 = task }
        // A notice may have come before there was a sleeper to wake.
        if let earlier = mailbox.deadline, earlier < deadline { task.cancel() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        sleeper.withLock { $0 = nil }
    }
}
