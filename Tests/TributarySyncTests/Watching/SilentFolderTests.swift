import Synchronization
import TestSupport
import TestTraits
import Testing
import TransactionLog
import TributaryAdmin

@testable import TributarySync

/// The problem of a log folder that does not answer; the kernel makes it hang, which needs root.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SilentFolderTests {
    @Test func aFolderThatHangsWhileABatchIsPreparedIsAProblem() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let logs = try LogsFolder()
        let writer = LogsFolder.writer(1)
        let time = Atomic<Int>(0)
        let meter = WorkMeter { .seconds(time.load(ordering: .relaxed)) }
        let replica = try await SyncReplica(logs.path, wall: SyncWall(), control: ImportControl(work: meter))
        let events = replica.service.segmentEvents()
        // The first segment is verified and waits for its dependencies, so that only applying opens it again.
        let waiting = try logs.hire(writer, 2...2)
        _ = try await SyncReplica.wait(events) { $0.id == waiting.name && $0.state == .waiting }
        var hanging: HangingFolder? = try HangingFolder("\(logs.path)/\(waiting.name.path)")
        try logs.hire(writer, 1...1)
        try await hanging?.waitForVictim()
        time.add(Int(SyncService.folderPatience.components.seconds), ordering: .relaxed)
        #expect(replica.service.status.problems.map(\.code) == [.logsSilent])
        #expect(!replica.service.status.isImporting, "no transaction of the store is open")
        hanging = nil
        _ = try await SyncReplica.wait(events) { $0.id == waiting.name && $0.state == .applied }
        #expect(replica.service.status.problems.isEmpty)
        try await replica.stop()
    }
}

extension ConcurrentTestLimit {
    fileprivate static let watchers = ConcurrentTestLimit(places: 16)
}

extension Trait where Self == ConcurrentTestLimit {
    /// Limits the number of tests that watch a log folder at one time: the system gives a user 128 inotify instances.
    static var watcherTurns: Self { .watchers }
}
