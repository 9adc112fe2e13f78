import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A local commit is exported without a request.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct LocalCommitTests {
    @Test func theHintOfACommitStartsAnExport() async throws {
        let logs = try LogsFolder()
        let replica = try await SyncReplica(
            logs.path,
            wall: SyncWall(),
            configure: { $0.exportDebounce = .zero }
        )
        // The export at the start finds nothing; the later one answers the hint.
        try await replica.service.exportNow()
        try replica.replica.commit([SyncModel.insert(1)])
        while replica.service.status.exported.transactions == 0 { await Task.yield() }
        #expect(logs.segments(of: replica.own).map(\.last) == [1])
        try await replica.stop()
    }
}
