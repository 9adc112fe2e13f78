import TestSupport
import Testing
import TransactionLog
import TributaryStore

@testable import TributarySync

/// A failed import, export or acknowledgement is tried again after a time, not at once.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct RetryTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    private func replica(
        _ clock: ManualClock,
        _ journal: JournalRecorder,
        _ configure: (inout SyncConfiguration) -> Void
    ) async throws -> SyncReplica {
        try await SyncReplica(logs.path, wall: wall, clock: clock, logger: journal.logger, configure: configure)
    }

    /// Makes the store refuse an insert, as a full disk does.
    private func refuse(_ condition: String, in replica: SyncReplica) throws -> PlainSQL {
        let store = PlainSQL(path: replica.folder.path("store.sqlite"))
        try store.execute("CREATE TRIGGER full BEFORE INSERT ON \(condition) BEGIN SELECT RAISE(FAIL, 'full'); END")
        return store
    }

    @Test func `an acknowledgement that fails is tried again ten seconds later`() async throws {
        let (clock, journal) = (ManualClock(), JournalRecorder())
        let reader = try await replica(clock, journal) { configuration in
            configuration.exportDebounce = .zero
            configuration.acknowledge = .zero
        }
        let store = try refuse("tributary_transaction WHEN new.author = 'tributaryd'", in: reader)
        try logs.hire(LogsFolder.writer(1), 1...1)
        try await reader.service.importAll()
        await clock.waitForSleeper(until: .seconds(10))
        #expect(journal.entries.filter { $0.message == "acknowledgement failed" }.count == 1)
        try store.execute("DROP TRIGGER full")
        let other = try await SyncReplica(logs.path, wall: wall)
        let events = other.service.segmentEvents()
        clock.advance(to: .seconds(10))
        _ = try await SyncReplica.wait(events) { $0.id.writer == reader.own && $0.state == .applied }
        #expect(try reader.store.read { try $0.writers.own().sequence } == 1)
    }

    @Test func `an import that failed does not keep a paused loop busy when its time has come`() async throws {
        let (clock, journal) = (ManualClock(), JournalRecorder())
        let reader = try await replica(clock, journal) { $0.rescan = .every(.seconds(60)) }
        let store = try refuse("tributary_segment", in: reader)
        try logs.hire(LogsFolder.writer(1), 1...1)
        try? await reader.service.importAll()
        await clock.waitForSleeper(until: .seconds(10))
        try await reader.service.pause()
        clock.advance(to: .seconds(10))
        // The next thing to do is a look at the folder.
        await clock.waitForSleeper(until: .seconds(60))
        try store.execute("DROP TRIGGER full")
        try await reader.service.resume()
        try await reader.service.importAll()
        #expect(try reader.position(LogsFolder.writer(1)) == 1)
    }
}
