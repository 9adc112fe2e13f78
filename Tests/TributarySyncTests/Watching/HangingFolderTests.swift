import Synchronization
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A log folder on a mount that hangs; the kernel makes it hang, which needs root.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct HangingFolderTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let a = LogsFolder.writer(1)

    init() throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        logs = try LogsFolder()
    }

    /// A segment that is verified and waits for the one before it, so that only applying opens it again.
    private func verifiedSegment(_ events: AsyncStream<SegmentStatus>) async throws -> SegmentText {
        let waiting = try logs.hire(a, 2...2)
        _ = try await SyncReplica.wait(events) { $0.id == waiting.name && $0.state == .waiting }
        return waiting
    }

    @Test func aReadThatHangsInTheImportHoldsUpNoLocalSave() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let events = replica.service.segmentEvents()
        let waiting = try await verifiedSegment(events)
        var hanging: HangingFolder? = try HangingFolder("\(logs.path)/\(waiting.name.path)")
        try logs.hire(a, 1...1)
        try await hanging?.waitForVictim()
        let store = replica.store
        // The write blocks without end when the import holds the write lock.
        try await onThread {
            _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: [SyncModel.insert(77)])) }
        }
        #expect(replica.service.control.work.silence != nil, "an import that hangs is at work for the watchdog")
        hanging = nil
        _ = try await SyncReplica.wait(events) { $0.id == waiting.name && $0.state == .applied }
        #expect(try replica.employees(1...99) == [1, 2, 77])
    }

    @Test func aFolderThatHangsWhileABatchIsPreparedIsAProblem() async throws {
        let time = Atomic<Int>(0)
        let meter = WorkMeter { .seconds(time.load(ordering: .relaxed)) }
        let replica = try await SyncReplica(logs.path, wall: wall, control: ImportControl(work: meter))
        let events = replica.service.segmentEvents()
        let waiting = try await verifiedSegment(events)
        var hanging: HangingFolder? = try HangingFolder("\(logs.path)/\(waiting.name.path)")
        try logs.hire(a, 1...1)
        try await hanging?.waitForVictim()
        time.add(Int(SyncService.folderPatience.components.seconds), ordering: .relaxed)
        #expect(replica.service.status.problems.map(\.code) == [.logsSilent])
        #expect(!replica.service.status.isImporting, "no transaction of the store is open")
        hanging = nil
        _ = try await SyncReplica.wait(events) { $0.id == waiting.name && $0.state == .applied }
        #expect(replica.service.status.problems.isEmpty)
    }

    @Test func aFolderThatHangsIsNotWaitedForWhenTheServiceStops() async throws {
        var hanging: HangingFolder? = try HangingFolder(logs.path)
        let folder = try TemporaryFolder("replica")
        let store = try SyncModel.open(in: folder)
        let service = try SyncModel.service(of: store, logs: logs.path)
        let run = Task { try await service.run() }
        try await hanging?.waitForVictim()
        let starting = Task { await service.started() }
        service.stop()
        await starting.value
        #expect(await service.started(patience: .milliseconds(10)) == false)
        service.abandon()
        await #expect(throws: SyncError.self) { try await service.importAll() }
        hanging = nil
        try await run.value
        try store.close()
    }
}
