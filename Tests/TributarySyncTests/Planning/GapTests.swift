import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// Missing transactions are a problem once their grace is over.
@Suite(.watcherTurns) struct GapTests {
    @Test func aGapIsAProblemAfterItsGraceWithSinceAndWriter() async throws {
        let wall = SyncWall()
        let logs = try LogsFolder()
        let replica = try await SyncReplica(logs.path, wall: wall)
        let writer = UniqueID.version7(at: 1, random: (5, 6))
        let segment = try logs.hire(writer, 2...2)
        try await replica.service.importAll()
        let found = wall.now
        #expect(replica.service.status.problems.isEmpty)
        #expect(replica.service.backlogs[writer]?.segments == 1)
        wall.advance(milliseconds: 60_000)
        let problem = try #require(replica.service.status.problems.first)
        #expect(problem.code == .segmentsWaiting && problem.since == found && problem.writer == writer)
        #expect(problem.hint?.hasSuffix("tributaryctl writer abandon \(segment.name.writer)") == true, "\(problem)")
        try logs.hire(writer, 1...1)
        try await replica.service.importAll()
        #expect(replica.service.status.problems.isEmpty && replica.service.backlogs.isEmpty)
    }

    @Test func theJournalTellsOfAGapOnceAndOfItsEnd() {
        let writer = UniqueID.version7(at: 1, random: (5, 6))
        let name = SegmentName(writer: writer, first: 2, last: 2)
        let gap = WriterGap(id: name, since: 1_000)
        var journaled = JournaledGaps()
        #expect(journaled.update([gap], wall: 1_500, grace: .seconds(1)).opened.isEmpty)
        #expect(journaled.nextDue([gap], wall: 1_500, grace: .seconds(1)) == 2_000)
        #expect(journaled.update([gap], wall: 2_000, grace: .seconds(1)).opened.map(\.id) == [name])
        #expect(journaled.nextDue([gap], wall: 1_500, grace: .seconds(1)) == nil)
        #expect(journaled.update([gap], wall: 9_000, grace: .seconds(1)).opened.isEmpty)
        #expect(journaled.update([], wall: 9_000, grace: .seconds(1)).closed == [name])
    }

    @Test func theJournalSaysWhetherMissingTransactionsCameOrTheWaitingFileWent() async throws {
        let (wall, logs, journal) = (SyncWall(), try LogsFolder(), JournalRecorder())
        let replica = try await SyncReplica(logs.path, wall: wall, logger: journal.logger)
        let names = try (1...2).map { try logs.hire(LogsFolder.writer($0), 2...2, base: $0 * 100).name }
        try await replica.service.importAll()
        wall.advance(milliseconds: 60_000)
        try await replica.service.importAll()
        #expect(journal.entries.count { $0.message == "transactions are missing" } == 2)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(names[0].path)")
        try logs.hire(LogsFolder.writer(2), 1...1, base: 200)
        try await replica.service.importAll()
        let ends = journal.entries.filter { names.map(\.path).contains($0.values["segment"] ?? "") }.suffix(2)
        #expect(ends.map(\.message).sorted() == ["missing transactions have come", "waiting segment has vanished"])
        #expect(ends.first { $0.message.hasPrefix("waiting") }?.values["segment"] == names[0].path)
    }

    @Test func aFileThatCannotBeASegmentIsReportedWithItsTime() async throws {
        let wall = SyncWall()
        let logs = try LogsFolder()
        let replica = try await SyncReplica(logs.path, wall: wall)
        let writer = UniqueID.version7(at: 1, random: (5, 6))
        let found = wall.now
        try logs.put([], at: SegmentName(writer: writer, first: 3, last: 2))
        try await replica.service.importAll()
        wall.advance(milliseconds: 5_000)
        try await replica.service.importAll()
        #expect(try await replica.service.segments().first?.since == found)
        #expect(replica.service.status.problems.first?.since == found)
    }
}
