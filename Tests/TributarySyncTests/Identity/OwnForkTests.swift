import Synchronization
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
        let taken = Mutex<SegmentName?>(nil)
        let replica = try await SyncReplica(
            logs.path,
            wall: wall,
            interruptExport: { [logs] step in
                guard case .begun(let name) = step, taken.withLock(\.self) == nil else { return }
                let foreign = try logs.hire(name.writer, name.first...name.last, base: 900)
                taken.withLock { $0 = foreign.name }
            }
        )
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        // The export that finds it continues as another writer, and fails for nobody.
        _ = try await replica.service.exportNow()
        #expect(replica.service.ownWriter != own)
        _ = try await replica.service.sync()
        #expect(try await replica.state(#require(taken.withLock(\.self))) == .applied)
        #expect(try replica.employees(1...999) == [1, 901])
        #expect(try alarm(of: replica).writer == own)
        let peer = try await SyncReplica(logs.path, wall: wall, name: "peer")
        _ = try await peer.service.sync()
        #expect(try digest(peer) == digest(replica))
        try await peer.stop()
        try await replica.stop()
    }

    /// The import has made the store another writer before the request answers the failure of its export.
    @Test func anExportThatFailsAfterTheChangeGoesOn() async throws {
        let running = Mutex<SyncService?>(nil)
        let replica = try await SyncReplica(
            logs.path,
            wall: wall,
            interruptExport: { step in
                guard case .begun = step, let service = running.withLock({ $0.take() }) else { return }
                let minted = try service.writerChange.change()
                throw SegmentError(.forked, file: "x.tlog", writer: minted.former, reason: "test")
            }
        )
        try replica.save([SyncModel.insert(1)])
        running.withLock { $0 = replica.service }
        let counts = try await replica.service.exportNow()
        #expect(replica.service.ownWriter != replica.own)
        #expect(counts.changes == 1 && logs.segments(of: replica.service.ownWriter).count == 1)
        #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
        try await replica.stop()
    }

    private func baseline(_ vector: [UniqueID: UInt64]) -> String {
        var body = BaselineHeader(model: nil, modelHash: "00ff", writerCount: vector.count).line + "\n"
        for (writer, sequence) in vector.sorted(by: { $0.key < $1.key }) {
            let clock = HybridClock(SyncWall.start)
            body += BaselineWriter(id: writer, sequence: sequence, clock: clock, hash: nil, seen: [:]).line + "\n"
        }
        let end = SegmentEnd(
            last: UInt64(vector.count),
            transactions: 0,
            changes: 0,
            sha256: SegmentEnd.sha256(of: Array(body.utf8))
        )
        return body + end.line + "\n"
    }

    private func foreign(_ low: UInt64) -> UniqueID { UniqueID(high: 0x5f0c_0000_0000_7000, low: low) }

    /// Another writer has seen what this store never wrote: the store is a copy that was put in the place of a later one.
    @Test func whatOthersHaveSeenProvesAnOlderStore() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        try await replica.service.exportNow()
        try logs.hire(foreign(1), 1...1, base: 100, seen: [1: [own: 1]])
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter == own)
        let proof = try logs.hire(foreign(2), 1...1, base: 200, seen: [1: [own: 2]])
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter != own)
        let problem = replica.service.status.problems.first { $0.code == .writerChanged }
        #expect(problem?.detail.contains(proof.name.path) == true, "\(replica.service.status.problems)")
        try await replica.stop()
    }

    @Test func verifiedBaselinesProveAnOlderStore() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        try await replica.service.exportNow()
        let vector = [own: UInt64(7), foreign(1): 3, foreign(2): 3]
        for writer in [foreign(1), foreign(2)] {
            #expect(replica.service.ownWriter == own)
            try logs.put(Array(baseline(vector).utf8), at: BaselineName(writer: writer, sequence: 3).path)
            _ = try await replica.service.sync()
        }
        #expect(replica.service.ownWriter != own)
        #expect(replica.service.status.problems.contains { $0.code == .writerChanged })
        try await replica.stop()
    }

    /// Segments of the writer may still come and tell which of the store's own saves are in the folder.
    @Test func anOlderStoreWithUnexportedSavesWaitsForSegments() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall, configure: { $0.exports = false })
        let own = replica.own
        try replica.save([SyncModel.insert(1)])
        try logs.hire(foreign(1), 1...1, base: 100, seen: [1: [own: 2]])
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter == own && replica.service.status.problems.contains { $0.code == .ownFork })
        wall.advance(milliseconds: 59_000)
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter == own)
        wall.advance(milliseconds: 1_000)
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter != own)
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
