import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A pause that is renewed while the service ends it.
@Suite struct PauseRenewalTests {
    /// Runs the first job of a task at once, and holds the next one until ``release()``.
    private final class HoldingExecutor: TaskExecutor {
        private enum State {
            case new
            case begun
            case holding(UnownedJob)
            case released
        }

        /// Ends when a job is held.
        let held: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        private let state = Mutex(State.new)

        init() { (held, continuation) = AsyncStream<Void>.makeStream() }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = state.withLock { state in
                switch state {
                case .new: state = .begun
                case .begun:
                    state = .holding(job)
                    return true
                case .holding, .released: break
                }
                return false
            }
            if isHeld { continuation.finish() } else { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        func release() {
            let job = state.withLock { state -> UnownedJob? in
                defer { state = .released }
                guard case .holding(let job) = state else { return nil }
                return job
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test func aPauseThatIsRenewedJustAsItEndsStays() async throws {
        let folder = try TemporaryFolder("pause")
        let wall = SyncWall()
        let store = try SyncModel.open(in: folder, wall: wall)
        let service = try SyncModel.service(of: store, logs: folder.path)
        let since = wall.now
        try await service.pause(for: .seconds(5))
        wall.advance(milliseconds: 5_000)

        // The renewal is stored, and its task has not gone on yet.
        let executor = HoldingExecutor()
        let renewal = Task(executorPreference: executor) { try await service.pause(for: .seconds(3600)) }
        for await _ in executor.held {}
        service.endPauseWhenDue()
        executor.release()
        try await renewal.value

        let renewed = ImportPause(since: since, until: wall.now.later(by: .milliseconds(3_600_000)))
        #expect(service.state.read(\.pause) == renewed)
        #expect(try store.read { try $0.setting(StoreKeys.paused) } == renewed.text)
        #expect(service.control.current == .finish)
        // A pause that nobody renews ends.
        wall.advance(milliseconds: 3_600_000)
        service.endPauseWhenDue()
        #expect(service.state.read(\.pause) == nil)
        #expect(try store.read { try $0.setting(StoreKeys.paused) } == nil)
        #expect(service.control.current == .proceed)
        try store.close()
    }

    @Test func onlyThePauseThatIsOverIsRemovedFromTheStore() async throws {
        let folder = try TemporaryFolder("pause")
        let store = try SyncModel.open(in: folder)
        let records = SyncRecords(store: store)
        let (over, renewed) = (ImportPause(since: 1, until: 5), ImportPause(since: 1, until: 9))
        try await records.store(renewed) {}
        try records.remove(over)
        #expect(try store.read { try $0.setting(StoreKeys.paused) } == renewed.text)
        try records.remove(renewed)
        #expect(try store.read { try $0.setting(StoreKeys.paused) } == nil)
        try store.close()
    }
}
