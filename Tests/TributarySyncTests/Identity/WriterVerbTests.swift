import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// The decisions of an administrator about other writers, which are evicted or abandoned.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct WriterVerbTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let gone = LogsFolder.writer(1)
    private let other = LogsFolder.writer(2)

    init() throws { logs = try LogsFolder() }

    private func state(_ writer: UniqueID, _ replica: SyncReplica) throws -> WriterState? {
        try replica.store.read { try $0.writers.all().first { $0.id == writer }?.state }
    }

    @Test func anAbandonedWriterIsNotWaitedForAndIsAppliedWhenItComes() async throws {
        let journal = JournalRecorder()
        let replica = try await SyncReplica(logs.path, wall: wall, logger: journal.logger)
        try logs.hire(gone, 1...1)
        try logs.hire(gone, 4...4, base: 10)
        let waiting = try logs.hire(other, 1...1, base: 100, seen: [1: [gone: 4]])
        try await replica.service.importAll()
        #expect(try replica.position(gone) == 1 && replica.position(other) == 0)
        let status = try await replica.service.segment(waiting.name)
        #expect(status?.hint?.contains("tributaryctl writer abandon \(gone)") == true, "\(status?.hint ?? "")")
        wall.advance(milliseconds: 61_000)
        #expect(replica.service.status.problems.map(\.code).contains(.segmentsWaiting))

        try await replica.service.abandon(gone, by: "ann")
        try await replica.service.abandon(gone, by: "ann")
        #expect(try replica.position(gone) == 1 && replica.position(other) == 1)
        #expect(!replica.service.status.problems.map(\.code).contains(.segmentsWaiting))
        #expect(try state(gone, replica) == .abandoned)
        let entries = journal.entries.filter { $0.message == "writer is abandoned" }
        #expect(entries.map(\.values) == [["writer": "\(gone)", "by": "ann"]])
        // An abandoned writer is not counted on, so an eviction is none.
        try await replica.service.evict(gone)
        #expect(try state(gone, replica) == .abandoned)
        try await replica.stop()

        let again = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        try logs.hire(other, 2...2, base: 100, seen: [2: [gone: 9]])
        try await again.service.importAll()
        #expect(try again.position(other) == 2)
        // Nothing waits for what it has not sent.
        let known = again.service.knownTransactions(try again.store.read { try $0.writers.all() })
        #expect(known.writers.contains(gone) && known.behind(gone) == 0)
        try logs.hire(gone, 2...3, base: 10)
        try await again.service.importAll()
        #expect(try again.position(gone) == 4)
        #expect(try state(gone, again) == .abandoned)
    }

    /// The writer of which nothing has come is known by its name in `seen`.
    @Test func aWriterThatIsOnlyWaitedForCanBeAbandoned() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.hire(other, 1...1, seen: [1: [gone: 1]])
        try await replica.service.importAll()
        #expect(try replica.position(other) == 0)
        try await replica.service.abandon(gone)
        #expect(try replica.position(other) == 1 && replica.position(gone) == 0)
    }

    @Test func anEvictedWriterCountsAgainWhenSomethingNewIsApplied() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.hire(other, 1...1)
        try await replica.service.importAll()
        try await replica.service.evict(other)
        try await replica.service.evict(other)
        #expect(try state(other, replica) == .evicted)
        try await replica.service.importAll()
        #expect(try state(other, replica) == .evicted)
        try logs.hire(other, 2...2)
        try await replica.service.importAll()
        #expect(try state(other, replica) == nil && replica.position(other) == 2)
    }

    /// A decision is about a store: all that it was, and whatever name it has here.
    @Test func aStoreIsDecidedAboutAsAWhole() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let label = LogsFolder.writer(9)
        func hire(_ writer: UniqueID, _ sequence: UInt64, after: UniqueID? = nil) throws {
            var text = LogsFolder.text(writer, sequence...sequence, base: 10 * sequence)
            let predecessor = after.map { Incarnation.Predecessor(writer: $0, sequence: 1) }
            let incarnation = Incarnation(store: label, after: predecessor)
            let header = SegmentHeader(writer: writer, first: sequence, last: sequence, incarnation: incarnation)
            text.lines[0] = header.line
            try logs.put(text)
        }
        try hire(gone, 1)
        try hire(other, 1, after: gone)
        try await replica.service.importAll()
        #expect(try replica.store.read { try $0.writers.record(of: other)?.store } == label)
        try await replica.service.evict(other)
        #expect(try state(gone, replica) == .evicted && state(other, replica) == .evicted)
        try hire(other, 2)
        try await replica.service.importAll()
        #expect(try state(other, replica) == nil)
        try await replica.service.abandon(label)
        #expect(try state(gone, replica) == .abandoned && state(other, replica) == .abandoned)
    }

    /// What a writer has lost that the store was before a disk was lost, others may wait for.
    @Test func aWriterThatTheStoreWasMayBeAbandoned() async throws {
        let first = try await SyncReplica(logs.path, wall: wall, saved: [SyncModel.insert(1)])
        let (folder, former) = (first.folder, first.own)
        try await first.stop()
        var status = stat()
        #expect(stat(folder.path("store.sqlite"), &status) == 0)
        unlink("\(StoreEnvironment.system.tokens(status.st_uid) ?? "")/\(status.st_dev)-\(status.st_ino)")
        let replica = try await SyncReplica(logs.path, wall: wall, folder: folder, saved: [SyncModel.insert(2)])
        #expect(replica.own != former)
        try logs.hire(other, 1...1, base: 100, seen: [1: [former: 4]])
        try await replica.service.importAll()
        #expect(try replica.position(other) == 0)
        await #expect(throws: SyncError.ownWriter(former)) { try await replica.service.evict(former) }
        try await replica.service.abandon(former)
        #expect(try state(former, replica) == .abandoned && replica.position(other) == 1)
    }

    @Test func theOwnWriterAndUnknownOnesAreRefused() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let unknown = LogsFolder.writer(77)
        await #expect(throws: SyncError.ownWriter(replica.own)) { try await replica.service.evict(replica.own) }
        await #expect(throws: SyncError.ownWriter(replica.own)) { try await replica.service.abandon(replica.own) }
        await #expect(throws: SyncError.noSuchWriter(unknown)) { try await replica.service.evict(unknown) }
        await #expect(throws: SyncError.noSuchWriter(unknown)) { try await replica.service.abandon(unknown) }
    }
}
