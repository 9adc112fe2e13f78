import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The request of a client whose tasks get no thread for a while.
@Suite struct RequestSendingTests {
    /// Runs a task's code on a queue that can be stopped.
    private final class StoppableExecutor: TaskExecutor {
        let queue = DispatchQueue(label: "test.stoppable")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test(.timeLimit(.minutes(30))) func theRequestGoesOutWithTheConnection() async throws {
        let folder = try TemporaryFolder("request")
        // Whether a task is stopped before it goes on is a matter of luck.
        for round in 0..<20 {
            let path = folder.path("\(round).sock")
            let listener = try ClosingListener(path)
            let executor = StoppableExecutor()
            let request = Task(executorPreference: executor) {
                try await AdminClient(socket: path).send(AdminCall(.get, "/v1/status"))
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
