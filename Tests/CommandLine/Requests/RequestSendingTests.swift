import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

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

/// Every wait of the admin command has a time limit.
@Suite(.daemonTurns) struct TimeoutTests {
    @Test(.timeLimit(.minutes(30)), arguments: [["status"], ["digest"], ["sync"], ["pause", "--for", "5m"]])
    func aDaemonThatSaysNothingIsNotWaitedForForEver(_ command: [String]) async throws {
        let daemon = try await RunningDaemon.started()
        // The stopped process does not respond; the kernel still accepts connections for it.
        daemon.process?.send(SIGSTOP)
        let silent = try await daemon.expect(69, of: command + ["--timeout", "300ms"])
        #expect(silent.errors.contains(daemon.socket) && silent.errors.contains("--timeout"), "\(silent.errors)")
        daemon.process?.send(SIGCONT)
        try await daemon.success(of: ["--timeout", "1m", "status"])
    }

    @Test(arguments: ["5 parsecs", "soon", "-1s"])
    func aLimitHasAUnit(_ text: String) async throws {
        let daemon = try RunningDaemon()
        #expect(try await daemon.command(["status", "--timeout", text]).ending == .exited(64))
    }
}

/// Clients that connect faster than the daemon accepts connections.
@Suite(.daemonTurns) struct WaitingClientsTests {
    @Test(.timeLimit(.minutes(30))) func connectionsWaitToBeTaken() async throws {
        let most = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
        let count = 400
        guard Int(most.filter(\.isNumber)) ?? 0 >= count else {
            try Test.cancel("the kernel keeps no \(count) waiting")
        }
        let daemon = try await RunningDaemon.started()
        // The stopped daemon accepts none, so that all clients wait.
        daemon.process?.send(SIGSTOP)
        let sockets = (0..<count).map { _ in
            let descriptor = UnixAddress.socket()
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        }
        defer { sockets.forEach { close($0) } }
        let refused = sockets.count { socket in
            UnixAddress.with(daemon.socket) { connect(socket, $0, $1) } != 0
        }
        #expect(refused == 0)
        daemon.process?.send(SIGCONT)
        #expect(try await daemon.call(.get, "/v1/health").0 == 200)
    }
}
