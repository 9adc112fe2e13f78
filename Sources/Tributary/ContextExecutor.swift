import Dispatch

/// The serial queue of one background context, as an executor: first come, first served, whatever the priority.
///
/// Dispatch on Linux has no `DispatchSerialQueue` that is an executor by itself.
final class ContextExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps the executor alive until the job has run, also when the job ends the actor.
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Queues a plain body after everything queued before.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    /// Runs a body in turn while the calling thread waits.
    func runAndWait<T>(_ body: () -> T) -> T {
        queue.sync(execute: body)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
