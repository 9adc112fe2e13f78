import Dispatch
import TributaryStore

/// The serial queue of one background context, as an executor: first come, first served, whatever the priority.
///
/// Dispatch on Linux has no `DispatchSerialQueue` that is an executor by itself.
final class ContextExecutor: SerialExecutor {
    private let queue: DispatchQueue
    /// Held by the thread that runs a body of the queue.
    private let resource: ExclusiveResource

    /// The queue of the context of the name.
    init(name: String) {
        queue = DispatchQueue(label: "tributary.context.\(name)")
        resource = ExclusiveResource(name: "the context '\(name)'")
        #if DEBUG
            QueueIdentity.mark(queue, context: name)
        #endif
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure keeps the executor alive until the job has run, also when the job ends the actor.
        queue.async { self.resource.holding { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
    }

    /// Queues a plain body after everything queued before.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async { self.resource.holding(body) }
    }

    /// Runs a body in turn while the calling thread waits; at once when the thread runs a body of the queue already.
    ///
    /// It stops the program when the wait could never end, because the queue's body waits for the caller.
    func runAndWait<T>(_ body: () -> T) -> T {
        if isCurrent { return body() }
        if let cycle = resource.startWaiting() { fatalError("performAndWait would never return: \(cycle)") }
        defer { resource.stopWaiting() }
        return WaitForGraph.shared.holdsLock ? runHere(body) : queue.sync { resource.holding(body) }
    }

    /// Runs a body in turn on the dispatch queue where the caller is, while a thread of the context's own waits.
    ///
    /// The database's library knows by the dispatch queue who may use the writer connection: a caller that holds the write
    /// lock must not leave that queue, because the body may come back to a context that reads in the open transaction.
    private func runHere<T>(_ body: () -> T) -> T {
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.async {
            hasBegun.signal()
            hasEnded.wait()
        }
        hasBegun.wait()
        defer { hasEnded.signal() }
        return resource.holding(body)
    }

    func checkIsolated() {
        // A thread that waits for another context's body in the middle of its own is still in its own.
        if !isCurrent { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    /// Whether the calling thread runs a body of the queue.
    var isCurrent: Bool { resource.isHeldHere }
}
