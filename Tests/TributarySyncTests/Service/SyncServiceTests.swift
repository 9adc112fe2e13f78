import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SyncServiceTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)

    init() throws { logs = try LogsFolder() }

    @Test func aSegmentThatIsDroppedIsImportedWithoutBeingAskedFor() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let events = replica.service.segmentEvents()
        let segment = try logs.hire(a, 1...3)
        _ = try await SyncReplica.wait(events) { $0.id == segment.name && $0.state == .applied }
        #expect(try replica.employees(1...9) == [1, 2, 3])
        // The second segment comes into a folder that is known by now.
        let next = try logs.hire(a, 4...5)
        _ = try await SyncReplica.wait(events) { $0.id == next.name && $0.state == .applied }
        #expect(try replica.employees(1...9) == [1, 2, 3, 4, 5])
        #expect(logs.segments(of: replica.own).isEmpty)
    }

    @Test func aStoppedServiceEndsItsEventStreams() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let service = replica.service
        let early = service.segmentEvents()
        try await replica.stop()
        // Both streams end; the early one may have events.
        for await _ in early {}
        var late: [SegmentStatus] = []
        for await status in service.segmentEvents() { late.append(status) }
        #expect(late.map(\.id) == [])
    }

    @Test func syncImportsMergesExportsAndSaysSo() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, saved: [SyncModel.insert(70)])
        try replica.save([SyncModel.insert(77)])
        let result = try await replica.sync {
            try logs.hire(a, 1...3)
            try logs.hire(b, 2...2, base: 10)
        }
        #expect(result.imported == ImportCounts(segments: 1, transactions: 3, changes: 3))
        #expect(replica.service.status.imported == result.imported)
        #expect(result.exported == ImportCounts(segments: 1, transactions: 1, changes: 1))
        #expect(replica.service.activity.meters.exported == ImportCounts(segments: 2, transactions: 2, changes: 2))
        #expect(result.merged.inserted == 4)
        #expect(result.remaining == [.waiting: 1])
        #expect(result.historyName == replica.own.description && result.transaction == 5)
        let again = try await replica.service.sync()
        #expect(again.imported == ImportCounts() && again.exported == ImportCounts())
        #expect(replica.service.isInitialImportComplete)
        #expect(replica.service.status.segments[.applied] == 3)
        try await replica.stop()
        await #expect(throws: SyncError.notRunning) { try await replica.service.sync() }
    }

    @Test func gapsAreFilledLaterAndDuplicatesCostNothing() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let late = try logs.hire(a, 3...4)
        _ = try await replica.service.sync()
        let status = try #require(await replica.service.segment(late.name))
        #expect(status.waitingFor == [.transactions(writer: a, from: 1, through: 2)])
        let first = try logs.hire(a, 1...2)
        _ = try await replica.service.sync()
        #expect(try replica.employees(1...9) == [1, 2, 3, 4])
        // The replicator delivers identical bytes again.
        try logs.put(first)
        let result = try await replica.service.sync()
        #expect(result.imported == ImportCounts())
        #expect(try await replica.state(first.name) == .applied)
        #expect(try await replica.service.segments() == [])
    }

    @Test func transactionsWaitForWhatTheyHaveSeenAcrossWriters() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let waiting = try logs.hire(b, 1...3, base: 100, seen: [2: [a: 2]])
        _ = try await replica.service.sync()
        #expect(try replica.position(b) == 1)
        #expect(
            try await replica.service.segment(waiting.name)?.waitingFor == [
                .transactions(writer: a, from: 1, through: 2)
            ]
        )
        try logs.hire(a, 1...2)
        _ = try await replica.service.sync()
        #expect(try replica.position(b) == 3)
    }

    @Test func aRestartGoesOnWhereItStoppedWithoutApplyingTwice() async throws {
        var replica = try await SyncReplica(logs.path, wall: wall)
        try logs.hire(a, 1...2)
        let partial = try logs.hire(b, 1...3, base: 100, seen: [3: [a: 3]])
        _ = try await replica.service.sync()
        #expect(try replica.position(b) == 2)
        try await replica.stop()
        try logs.hire(a, 3...3)
        replica = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        let result = try await replica.service.sync()
        #expect(result.remaining.isEmpty)
        #expect(try replica.position(a) == 3)
        #expect(try replica.position(b) == 3)
        #expect(try await replica.state(partial.name) == .applied)
        #expect(try replica.employees(1...200).count == 6)
    }

    @Test func pausingSurvivesARestartAndShowsAsAProblem() async throws {
        var replica = try await SyncReplica(logs.path, wall: wall)
        try await replica.service.pause()
        try logs.hire(a, 1...1)
        await #expect(throws: SyncError.self) { try await replica.service.sync() }
        try await replica.stop()
        replica = try await SyncReplica(logs.path, wall: wall, folder: replica.folder, saved: [SyncModel.insert(8)])
        try await replica.service.importAll()
        #expect(try replica.position(a) == 0)
        #expect(replica.service.status.problems.map(\.code) == [.paused])
        // Local changes are exported nevertheless.
        try replica.save([SyncModel.insert(9)])
        #expect(try await replica.service.exportNow().transactions == 1)
        #expect(replica.service.activity.meters.exported.transactions == 2)
        try await replica.service.resume()
        _ = try await replica.service.sync()
        #expect(try replica.position(a) == 1)
        #expect(replica.service.status.problems.isEmpty)
        // A pause with an end ends without a request.
        try await replica.service.pause(for: .seconds(5))
        wall.advance(milliseconds: 5_000)
        try await replica.service.importAll()
        #expect(replica.service.status.pausedSince == nil)
    }

    @Test func aHeldSegmentIsTakenWhenItIsAcceptedAlsoAfterARestart() async throws {
        let ahead = wall.now.later(by: .milliseconds(7_200_000))
        var replica = try await SyncReplica(logs.path, wall: wall)
        let segment = try logs.hire(a, 1...1, at: ahead)
        _ = try await replica.service.sync()
        #expect(try await replica.state(segment.name) == .held)
        #expect(replica.service.status.problems.map(\.code) == [.segmentsHeld])
        await #expect(throws: SyncError.noSuchSegment(SegmentName(writer: b, first: 1, last: 1))) {
            try await replica.service.accept(SegmentName(writer: b, first: 1, last: 1))
        }
        // A segment that is accepted during a pause is applied by the next run.
        try await replica.service.pause()
        try await replica.service.accept(segment.name)
        try await replica.stop()
        replica = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        try await replica.service.resume()
        _ = try await replica.service.sync()
        #expect(try await replica.state(segment.name) == .applied)
        #expect(try replica.store.read { try $0.setting(StoreKeys.accepted) } == nil)
    }
}
