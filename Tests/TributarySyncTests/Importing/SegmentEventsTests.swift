import Testing
import TransactionLog

@testable import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SegmentEventsTests {
    @Test func aServiceThatHasEndedTellsSo() async throws {
        let replica = try await SyncReplica(try LogsFolder().path, wall: SyncWall())
        let service = replica.service
        let early = service.segmentEvents()
        try await replica.stop()
        for await _ in early {}
        for await _ in service.segmentEvents() { Issue.record("nothing happens after the end") }
    }
}
