import Dispatch
import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Requests and orders around the end of the service.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct StopTests {
    private let logs: LogsFolder
    private let writer = LogsFolder.writer(1)

    init() throws { logs = try LogsFolder() }

    @Test func aRequestThatAStopCutsShortFails() async throws {
        let wall = SyncWall()
        let replica = try await SyncReplica(logs.path, wall: wall)
        // Nothing but the request makes the service apply a segment whose clock is no longer ahead.
        let held = try logs.hire(writer, 1...1, at: wall.now.later(by: .milliseconds(7_200_000)))
        try await replica.service.importAll()
        #expect(try await replica.state(held.name) == .held)
        let lock = await HeldWriteLock(replica.store)
        wall.advance(milliseconds: 7_200_000)
        let request = Task { try await replica.service.importAll() }
        // The pass of the request waits for the write lock.
        while !replica.service.status.isImporting { await Task.yield() }
        replica.service.stop()
        try await lock.release()
        await #expect(throws: SyncError.notRunning) { try await request.value }
    }

    @Test(arguments: [true, false]) func anAbortStandsWhenTheServiceIsStoppedAfterwards(_ pausesBefore: Bool)
        async throws
    {
        let folder = try TemporaryFolder("stop")
        let store = try SyncModel.open(in: folder)
        let service = try SyncModel.service(of: store, logs: logs.path)
        if pausesBefore { try await service.pause() }
        service.abort()
        #expect(service.control.current == .abort)
        service.stop()
        #expect(service.control.current == .abort)
        try await service.resume()
        #expect(service.control.current == .abort)
        try store.close()
    }
}

/// Holds the write lock of a store on a thread of its own.
final class HeldWriteLock: Sendable {
    private let task: Task<Void, any Error>
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ store: Store) async {
        let (isHeld, begun) = AsyncStream<Void>.makeStream()
        // `release()` ends the task.
        task = Task { [semaphore] in
            try await onThread {
                defer { begun.finish() }
                try store.holdingWriteLock { _ in
                    begun.finish()
                    semaphore.wait()
                }
            }
        }
        for await _ in isHeld {}
    }

    func release() async throws {
        semaphore.signal()
        try await task.value
    }
}
