import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A value that resembles the name of a blob is one that no model can represent, and no segment waits for it.
@Suite(.timeLimit(.minutes(10)), .watcherTurns) struct IllFormedBlobTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    @Test(arguments: [
        #"{"blob":"\#(SegmentText.hash([1]))","size":-1}"#,
        #"{"blob":"\#(SegmentText.hash([1]))","size":-9223372036854775808}"#,
        #"{"blob":"\#(SegmentText.hash([1]))","size":1,"more":true}"#,
        #"{"blob":"\#(SegmentText.hash([1]).uppercased())","size":1}"#,
    ])
    func theValueIsDeferredWithItsLineAndReasonAndTheRestApplies(_ blob: String) async throws {
        let lines = [
            #"{"transaction":1,"clock":"0190335a1bc00000","changes":1}"#,
            #"{"insert":"Employee","id":"\#(SyncModel.employee(1))","values":{"name":"Ann","photo":\#(blob)}}"#,
        ]
        let segment = SegmentText(writer: LogsFolder.writer(1), last: 1, lines)
        try logs.put(segment)
        let replica = try await SyncReplica(logs.path, wall: wall)
        try await replica.service.importAll()
        let status = try #require(await replica.service.segment(segment.name))
        #expect(status.state == .applied && status.deferred == 1, "\(status)")
        let value = try #require(status.deferredValues.first)
        #expect(value.line == 3 && value.text.contains("Employee.photo"), "\(value)")
        let row = try replica.store.read { try $0.row(SyncModel.employee(1), rootEntity: "Employee") }
        #expect(row?.values.contains(.string("Ann")) == true)
        try await replica.stop()
    }
}

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
