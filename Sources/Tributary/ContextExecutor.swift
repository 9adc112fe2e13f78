import Dispatch
import Glibc
import Synchronization

/// The serial queue of one background context, as an executor: first come, first served, whatever the priority.
///
/// Dispatch on Linux has no `DispatchSerialQueue` that is an executor by itself.
final class ContextExecutor: SerialExecutor {
    private let queue: DispatchQueue
    /// The thread that runs a body of the queue now, 0 for none; kept in debug builds only.
    private let thread = Atomic<UInt>(0)

    /// The queue of the context of the name.
    init(name: String) {
        queue = DispatchQueue(label: "tributary.context.\(name)")
        #if DEBUG
            Whereabouts.mark(queue, context: name)
        #endif
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps the executor alive until the job has run, also when the job ends the actor.
        queue.async { self.marked { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
    }

    /// Queues a plain body after everything queued before.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async { self.marked(body) }
    }

    /// Runs a body in turn while the calling thread waits.
    func runAndWait<T>(_ body: () -> T) -> T {
        queue.sync { marked(body) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    private func marked<T>(_ body: () -> T) -> T {
        #if DEBUG
            thread.store(pthread_self(), ordering: .relaxed)
            defer { thread.store(0, ordering: .relaxed) }
        #endif
        return body()
    }

    /// Whether the calling thread runs a body of the queue; known in debug builds only.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }
}
