import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A running store continues as another writer, between exports and imports.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct RestampTests {
    private struct PowerFailure: Error {}

    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    private func digest(_ replica: SyncReplica) throws -> String {
        try replica.store.read { try $0.mergeState.digest().digest }
    }

    /// Checks that a new replica has the state of this one after the folder was exchanged.
    private func expectEqualPeer(_ replica: SyncReplica, employees: Int) async throws {
        _ = try await replica.service.sync()
        let peer = try await SyncReplica(logs.path, wall: wall, name: "peer")
        _ = try await peer.service.sync()
        #expect(try digest(peer) == digest(replica))
        #expect(try peer.employees(1...999).count == employees)
        #expect(peer.service.status.problems.isEmpty && replica.service.status.problems.isEmpty)
        try await peer.stop()
    }

    @Test func savesOfAClockThatWasAheadGoOutUnderANewWriter() async throws {
        let ahead = SyncWall()
        ahead.advance(milliseconds: 30 * 86_400_000)
        let early = try await SyncReplica(logs.path, wall: ahead, configure: { $0.exports = false })
        let former = early.own
        try early.save([SyncModel.insert(1)])
        try early.save([SyncModel.insert(2)])
        try await early.stop()
        let replica = try await SyncReplica(logs.path, wall: wall, folder: early.folder)
        await #expect(throws: ExportFailure.self) { try await replica.service.exportNow() }
        let problem = try #require(replica.service.status.problems.first)
        #expect(problem.code == .ownClockAhead && problem.hint.contains("tributaryctl writer restamp"))

        let minted = try await replica.service.restamp(by: "ann")
        #expect(minted.former == former && minted.reissued == 2 && minted.published == 0)
        #expect(replica.service.ownWriter == minted.new)
        #expect(replica.service.status.problems.isEmpty)
        try replica.save([SyncModel.insert(3)])
        try await expectEqualPeer(replica, employees: 3)
        #expect(logs.segments(of: former).isEmpty)
        #expect(try replica.store.read { try $0.writers.own().clock.wallTime } <= wall.now)
        try await replica.stop()
    }

    @Test func aSegmentThatIsInItsPlaceIsNotIssuedAgain() async throws {
        let stop: @Sendable (Exporter.Step) throws -> Void = { step in
            if case .placed = step { throw PowerFailure() }
        }
        let broken = try await SyncReplica(logs.path, wall: wall, interruptExport: stop)
        try broken.save([SyncModel.insert(1)])
        await #expect(throws: PowerFailure.self) { try await broken.service.exportNow() }
        let minted = try await broken.service.restamp()
        #expect(minted.published == 1 && minted.reissued == 0)
        #expect(try broken.store.read { try $0.outbox.unfinishedExports().isEmpty })
        #expect(logs.segments(of: minted.former).count == 1)
        // The new writer has nothing to issue again, and announces itself.
        #expect(try broken.position(minted.new) == 1)
        try await broken.stop()
    }

    @Test func aSegmentThatWasOnlyBegunGoesOutUnderTheNewWriter() async throws {
        let (wall, failing) = (wall, wall.now)
        let stop: @Sendable (Exporter.Step) throws -> Void = { step in
            if case .begun = step, wall.now == failing { throw PowerFailure() }
        }
        let replica = try await SyncReplica(logs.path, wall: wall, interruptExport: stop)
        try replica.save([SyncModel.insert(1)])
        await #expect(throws: PowerFailure.self) { try await replica.service.exportNow() }
        wall.advance(milliseconds: 1)
        let minted = try await replica.service.restamp()
        #expect(minted.published == 0 && minted.reissued == 1)
        try await expectEqualPeer(replica, employees: 1)
        let reissued = try #require(logs.segments(of: minted.new).first)
        #expect(logs.segments(of: minted.former).isEmpty && reissued.first == 1)
        #expect(String(decoding: try #require(logs.bytes(of: reissued)), as: UTF8.self).contains("\"author\":\"test\""))
        try await replica.stop()
    }

    /// Saves, exports and imports go on while the writer changes.
    @Test func nothingIsLostOrDoubledWhileTheWriterChanges() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, configure: { $0.exportDebounce = .zero })
        let foreign = LogsFolder.writer(1)
        var writers = [replica.own]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...60 as ClosedRange<UInt64> {
                    try replica.replica.commit([SyncModel.insert(number)])
                    await Task.yield()
                }
            }
            group.addTask {
                for number in 1...40 as ClosedRange<UInt64> {
                    try logs.hire(foreign, number...number, base: 100)
                    try await replica.service.importAll()
                }
            }
            for _ in 0..<12 {
                let minted = try await replica.service.restamp()
                #expect(minted.former == writers.last)
                writers.append(minted.new)
            }
            try await group.waitForAll()
        }
        try await expectEqualPeer(replica, employees: 100)
        for writer in writers {
            let names = logs.segments(of: writer)
            #expect(zip(names, names.dropFirst()).allSatisfy { $0.last + 1 == $1.first }, "\(names)")
        }
        try await replica.stop()
    }
}
