import Dispatch
import TributaryStore

/// The serial queue of a background context; Dispatch on Linux has no `DispatchSerialQueue` that is an executor.
final class ContextExecutor: SerialExecutor {
    private let queue: DispatchQueue
    private let resource: ExclusiveResource

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

    func enqueue(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.resource.holding(block) }
    }

    /// Stops the program when the queue's block waits for the caller: both would wait permanently.
    func runAndWait<T>(_ block: () -> T) -> T {
        if isCurrent { return block() }
        if let cycle = resource.startWaiting() { fatalError("performAndWait would never return: \(cycle)") }
        defer { resource.stopWaiting() }
        return WaitForGraph.shared.holdsLock ? runHere(block) : queue.sync { resource.holding(block) }
    }

    /// Runs a block on the caller's dispatch queue while a thread of the context's own queue waits.
    ///
    /// GRDB identifies the user of the writer connection by the queue, and the block may read in the open transaction.
    private func runHere<T>(_ block: () -> T) -> T {
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.async {
            hasBegun.signal()
            hasEnded.wait()
        }
        hasBegun.wait()
        defer { hasEnded.signal() }
        return resource.holding(block)
    }

    func checkIsolated() {
        // A thread that waits inside its block for another context's block is still inside its own block.
        if !isCurrent { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    var isCurrent: Bool { resource.isHeldHere }
}

struct ContextQueue {
    let name: String?
    let isMain: Bool
    let executor: ContextExecutor?

    #if DEBUG
        func check(_ entry: @autoclosure () -> String) {
            if isMain {
                guard !QueueIdentity.isSurelyMain else { return }
                QueueIdentity.stopUnlessMain(
                    "\(entry()) was used off the main actor, on \(QueueIdentity.description); it belongs to the view "
                        + "context. Use it in `await MainActor.run { … }`, or pass the objectID or a snapshot() instead."
                )
            } else if let executor, !executor.isCurrent {
                preconditionFailure(
                    "\(entry()) was used off the queue of the context '\(name ?? "background")', on "
                        + "\(QueueIdentity.description); use its perform, or pass the objectID or a snapshot() instead"
                )
            }
        }
    #endif
}
