import Testing
import TransactionLog

@testable import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SegmentEventsTests {
    @Test func aStoppedServiceEndsItsEventStreams() async throws {
        let replica = try await SyncReplica(try LogsFolder().path, wall: SyncWall())
        let service = replica.service
        let early = service.segmentEvents()
        try await replica.stop()
        // Both streams end; the early one may have events.
        for await _ in early {}
        var late: [SegmentStatus] = []
        for await status in service.segmentEvents() { late.append(status) }
        #expect(late.map(\.id) == [])
    }
}
