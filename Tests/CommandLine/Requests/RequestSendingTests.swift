import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The request of a client whose tasks get no thread for a while.
@Suite struct RequestSendingTests {
    /// Runs the code of a task on a queue that can be suspended.
    private final class StoppableExecutor: TaskExecutor {
        let queue = DispatchQueue(label: "test.stoppable")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test(.timeLimit(.minutes(30))) func theRequestGoesOutWithTheConnection() async throws {
        let folder = try TemporaryFolder("request")
        // The suspension races with the task, so the test repeats it.
        for round in 0..<20 {
            let path = folder.path("\(round).sock")
            let listener = try ClosingListener(path)
            let executor = StoppableExecutor()
            let request = Task(executorPreference: executor) {
                try await AdminClient(sockets: [path]).send(AdminCall(.get, "/v1/status"))
            }
            let text = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    listener.waitForConnection()
                    executor.queue.suspend()
                    continuation.resume(returning: listener.readFromConnection())
                }
            }
            executor.queue.resume()
            #expect(text.hasPrefix("GET /v1/status HTTP/1.1\r\n"), "round \(round): \(text)")
            await #expect(throws: AdminClientError.self) { try await request.value }
        }
    }
}
