import Foundation
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

    /// Nobody waits for the store that a check builds, so a slow share costs it nothing but time.
    @Test func aCheckWaitsForABlobLongerThanAnImport() async throws {
        let group = try await CompactingReplicas.filled(2)
        let photo = JSONValue.string(Data(repeating: 7, count: 200_000).base64EncodedString())
        try group.replicas[0].save([SyncModel.update(1, "photo", photo)])
        try await group.exchange()
        for _ in 0..<2 {
            try await group.acknowledge()
            try await group.compactAll()
        }
        let blob = SegmentText.hash(Array(repeating: 7, count: 200_000))
        #expect(
            !group.files(".tlog").contains { $0.contains("\(group.replicas[0].own)/0000000000000001-") },
            "the check joins a baseline"
        )
        let (path, maker, other) = (group.logs.path, group.replicas[0].own, group.replicas[1])
        var hanging: HangingFolder? = try HangingFolder("\(path)/\(maker)/blobs/\(blob)")
        async let report = other.check(path)
        try await hanging?.waitForVictim()
        let feed = BlobFeed(logs: try LogFolder(path: path), writer: maker, control: ImportControl())
        // An import gives up meanwhile.
        await #expect(throws: SegmentError.self) {
            try await onThread { try feed.read(blob, size: 200_000) { _ in } }
        }
        hanging = nil
        let comparison = try await report.comparison
        #expect(comparison.result == "equal", "\(comparison)")
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
