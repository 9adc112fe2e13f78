import Dispatch

/// Runs the code of one task on its own thread, outside the few threads that all other tasks share.
///
/// The folder may be on a mount that hangs, so its reader must be able to block without stopping other tasks.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ name: String) {
        queue = DispatchQueue(label: name)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs blocking work serially on its own thread, outside the few threads that tasks share.
package struct SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue; with `inBackground`, its work yields the processors to all other work that is ready to run, and
    /// must not take the write lock, for which others would wait.
    package init(_ name: String, inBackground: Bool = false) {
        queue = DispatchQueue(label: name, qos: inBackground ? .background : .default)
    }

    /// Returns the result of `block`, which runs after the work that was submitted before.
    package func run<T: Sendable, E: Error>(_ block: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: block)) }
        }
        return try result.get()
    }
}
