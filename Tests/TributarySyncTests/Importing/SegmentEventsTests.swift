import Testing
import TransactionLog

@testable import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SegmentEventsTests {
    private let status = SegmentStatus(
        id: SegmentName(writer: LogsFolder.writer(1), first: 1, last: 1),
        state: .applied,
        since: 0
    )

    @Test func aStreamEndsWithTheEventsAndOneAskedForLaterHasEnded() async {
        let events = SegmentEvents()
        let early = events.stream()
        events.send([status])
        events.finish()
        var heard = 0
        for await _ in early { heard += 1 }
        #expect(heard == 1)
        for await _ in events.stream() { Issue.record("nothing happens after the end") }
    }

    @Test func aServiceThatHasEndedTellsSo() async throws {
        let replica = try await SyncReplica(try LogsFolder().path, wall: SyncWall())
        let service = replica.service
        try await replica.stop()
        for await _ in service.segmentEvents() { Issue.record("nothing happens after the end") }
    }
}
