import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
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
        for replica in [peer, replica] {
            #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
        }
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
        #expect(problem.code == .ownClockAhead && problem.hint?.contains("tributaryctl writer restamp") == true)

        let restamped = try await replica.service.restamp(by: "ann")
        #expect(restamped.former == former && restamped.count == 2 && restamped.published == 0)
        #expect(replica.service.ownWriter == restamped.new)
        #expect(replica.service.status.problems.isEmpty)
        try replica.save([SyncModel.insert(3)])
        try await expectEqualPeer(replica, employees: 3)
        #expect(logs.segments(of: former).isEmpty)
        #expect(try replica.store.read { try $0.writers.own().clock.wallTime } <= wall.now)
    }

    /// The older store does not know that it has published the transaction.
    @Test func whatWasPublishedBeforeTheStoreWasSetBackKeepsItsName() async throws {
        let ahead = SyncWall()
        ahead.advance(milliseconds: 30 * 86_400_000)
        let early = try await SyncReplica(logs.path, wall: ahead, configure: { $0.exports = false })
        try early.save([SyncModel.insert(1)])
        try await early.stop()
        let copy = try SyncReplica.clone(of: early.folder, model: SyncModel.make())
        let former = try await SyncReplica(logs.path, wall: ahead, folder: early.folder)
        _ = try await former.service.exportNow()
        #expect(logs.segments(of: early.own).map(\.last) == [1])
        try await former.stop()
        let replica = try await SyncReplica(logs.path, wall: wall, folder: copy)
        // The first export has found the file.
        #expect(try await replica.service.restamp().count == 0)
        #expect(try replica.store.read { try $0.outbox.unexported().isEmpty })
    }

    /// The range of an export is decided once: what it has keeps its name and its clock.
    @Test(arguments: [true, false]) func whatAnExportHasBegunIsNotIssuedAgain(isPlaced: Bool) async throws {
        let (wall, failing) = (wall, wall.now)
        let stop: @Sendable (Exporter.Step) throws -> Void = { step in
            guard wall.now == failing else { return }
            switch step {
            case .begun: if !isPlaced { throw PowerFailure() }
            case .placed: if isPlaced { throw PowerFailure() }
            }
        }
        let replica = try await SyncReplica(logs.path, wall: wall, interruptExport: stop)
        try replica.save([SyncModel.insert(1)])
        await #expect(throws: PowerFailure.self) { try await replica.service.exportNow() }
        wall.advance(milliseconds: 7_200_000)
        try replica.save([SyncModel.insert(2)])
        let before = logs.segments(of: replica.own).map { logs.bytes(of: $0) }
        wall.setBack(milliseconds: 7_200_000 - 1)
        let restamped = try await replica.service.restamp()
        #expect(restamped.published == 1 && restamped.count == 1)
        try await expectEqualPeer(replica, employees: 2)
        #expect(logs.segments(of: restamped.former).map(\.last) == [1])
        if isPlaced { #expect(logs.segments(of: restamped.former).map { logs.bytes(of: $0) } == before) }
        let moved = try #require(logs.segments(of: restamped.new).first)
        let text = String(decoding: try #require(logs.bytes(of: moved)), as: UTF8.self)
        #expect(moved.first == 1 && text.contains("\"author\":\"test\""))
        #expect(text.contains("\"after\":{\"writer\":\"\(restamped.former)\",\"sequence\":1}"))
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
                let restamped = try await replica.service.restamp()
                #expect(restamped.former == writers.last)
                writers.append(restamped.new)
            }
            try await group.waitForAll()
        }
        try await expectEqualPeer(replica, employees: 100)
        for writer in writers {
            let names = logs.segments(of: writer)
            #expect(zip(names, names.dropFirst()).allSatisfy { $0.last + 1 == $1.first }, "\(names)")
        }
    }
}
