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
