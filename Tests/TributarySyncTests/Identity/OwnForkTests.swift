import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Another program writes as the writer of a running store: the store becomes another writer and goes on.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct OwnForkTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    private func digest(_ replica: SyncReplica) throws -> String {
        try replica.store.read { try $0.mergeState.digest().digest }
    }

    private func alarm(of replica: SyncReplica) throws -> SyncProblem {
        try #require(replica.service.status.problems.first { $0.code == .ownFork })
    }

    @Test func segmentsThatTheStoreHasNotWrittenAreImported() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        try await replica.service.exportNow()
        let foreign = try logs.hire(own, 2...2, base: 900)
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter != own)
        #expect(try await replica.state(foreign.name) == .applied)
        let alarm = try alarm(of: replica)
        #expect(alarm.writer == own && alarm.detail.contains(foreign.name.path), "\(alarm.detail)")
        try replica.save([SyncModel.insert(2)])
        _ = try await replica.service.sync()
        #expect(try replica.employees(1...999) == [1, 2, 902])

        let peer = try await SyncReplica(logs.path, wall: wall, name: "peer")
        _ = try await peer.service.sync()
        #expect(try digest(peer) == digest(replica))
        try await peer.stop()
        // The alarm survives a restart, and ends after a day.
        try await replica.stop()
        let again = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        #expect(try self.alarm(of: again).writer == own && again.own == replica.service.ownWriter)
        wall.advance(milliseconds: 86_400_001)
        #expect(!again.service.status.problems.map(\.code).contains(.ownFork))
        try await again.stop()
    }

    /// The name of the next segment is taken by other content.
    @Test func aNameThatIsTakenIsLeftToTheOtherProgram() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        let foreign = try logs.hire(own, 1...1, base: 900)
        while replica.service.ownWriter == own {
            _ = try? await replica.service.exportNow()
            try await replica.service.importAll()
        }
        _ = try await replica.service.sync()
        #expect(try await replica.state(foreign.name) == .applied)
        #expect(try replica.employees(1...999) == [1, 901])
        #expect(try alarm(of: replica).writer == own)
        let peer = try await SyncReplica(logs.path, wall: wall, name: "peer")
        _ = try await peer.service.sync()
        #expect(try digest(peer) == digest(replica))
        try await peer.stop()
        try await replica.stop()
    }

    /// A file that is no whole segment proves nothing.
    @Test func aDamagedFileOfTheOwnNameChangesNothing() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let text = LogsFolder.text(replica.own, 1...1, base: 900)
        try logs.put(text.bytes().dropLast(30) + Array("x\n".utf8), at: text.name)
        try await replica.service.importAll()
        #expect(replica.service.ownWriter == replica.own)
        try await replica.stop()
    }
}
