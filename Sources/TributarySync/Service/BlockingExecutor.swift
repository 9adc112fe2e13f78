import Dispatch

/// Runs one task's code on a thread that is not one of the few that all other tasks share.
///
/// The folder may lie on a mount that hangs: whoever looks at it must be able to block without stopping others. The
/// thread has a low priority: a large folder must not delay answers and saves.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ name: String) {
        queue = DispatchQueue(label: name, qos: .background)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
