import Logging
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Reports of deferred values when there are very many of them, or when the log folder does not answer.
@Suite(.watcherTurns) struct DeferralTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    /// Writes a segment whose transaction inserts an employee and writes values that the model does not have.
    private func writeUnknown(_ writer: UniqueID, changes: Int, values: Int) throws -> SegmentName {
        let writes = (0..<values).map { PropertyWrite(name: "unknown\($0)", value: .integer(Int64($0))) }
        let update = Change(entity: "Employee", id: SyncModel.employee(1), operation: .update(writes))
        let all = [SyncModel.insert(1)] + Array(repeating: update, count: changes)
        let segment = SegmentText(writer: writer, [SyncModel.transaction(1, all)])
        try logs.put(segment)
        return segment.name
    }

    @Test func aSegmentIsNamedHoweverMuchOfOthersIsDeferred() async throws {
        let journal = JournalRecorder()
        // By this clock a search for deferred values takes no time, so that the next one is due at once.
        let clock = ManualClock()
        let replica = try await SyncReplica(logs.path, wall: wall, clock: clock, logger: journal.logger)
        let many = try writeUnknown(LogsFolder.writer(1), changes: 101, values: 1_000)
        try await replica.service.importAll()
        let one = try writeUnknown(LogsFolder.writer(2), changes: 1, values: 1)
        try await replica.service.importAll()
        for (name, count) in [(many, 101_000), (one, 1)] {
            let status = try #require(await replica.service.segment(name))
            #expect(status.deferred == count && status.deferredValues.first?.line == 4, "\(status.reason)")
            let listed = try await replica.service.segments().first { $0.id == name }
            #expect(listed?.deferred == count)
            let entry = try #require(journal.entries.first { $0.values["segment"] == name.path })
            #expect(entry.level == .warning && entry.values["values"] == "\(count)", "\(entry)")
            #expect(entry.values["first"]?.contains("Employee.unknown0") == true, "\(entry)")
        }
        let report = try replica.store.read { try replica.service.deferrals($0) }
        #expect(report.counts.values == DeferredCounts.limit && report.newest.first?.segment == one)
    }

    /// JavaScript writes half of an emoji that a program has cut; the rest of the segment counts, and the next one too.
    @Test(.timeLimit(.minutes(10))) func halfACharacterIsDeferredAlone() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let writer = LogsFolder.writer(1)
        let half = JSONValue.unrepresentable(#""cut \ud83d""#)
        let first = SegmentText(
            writer: writer,
            [SyncModel.transaction(1, [SyncModel.insert(1), SyncModel.update(1, "name", half)])]
        )
        try logs.put(first)
        let second = SegmentText(writer: writer, [SyncModel.transaction(2, [SyncModel.insert(2)])])
        try logs.put(second)
        try await replica.service.importAll()
        #expect(try replica.employees(1...9) == [1, 2])
        var status = try #require(await replica.service.segment(first.name))
        #expect(status.deferred == 1, "\(status)")
        // A search gives up after a second, and a busy machine may need longer.
        while status.deferredValues.first?.line == nil {
            status = try #require(await replica.service.segment(first.name))
        }
        let found = try #require(status.deferredValues.first)
        #expect(found.write.reason.contains("cannot hold a string with half a surrogate pair"), "\(found)")
        #expect(found.line == 4, "\(found)")
        // The store reads its own form again, also in a baseline.
        #expect(try replica.store.read { try $0.mergeState.dump() }.contains(#""cut \ud83d""#))
    }

    @Test func lookingForDeferredValuesTakesASmallPartOfTheTime() {
        func name(_ sequence: UInt64) -> SegmentName {
            SegmentName(writer: LogsFolder.writer(1), first: sequence, last: sequence)
        }
        var journaled = JournaledDeferrals()
        #expect(journaled.due == nil)
        journaled.insert([name(1)])
        #expect(journaled.due == .zero)
        journaled.finish([name(1)], newest: 7)
        journaled.rest(afterLookFrom: .seconds(1), to: .seconds(2))
        #expect(journaled.journaledThrough == 7 && journaled.due == nil)
        journaled.insert([name(2), name(3)])
        #expect(journaled.due == .seconds(22))
        journaled.finish([name(2)], newest: nil)
        #expect(journaled.journaledThrough == 7 && journaled.names == [name(3)])
        // A look that fails is put off, however fast it failed.
        var failed = JournaledDeferrals()
        failed.rest(afterFailureAt: .seconds(3))
        failed.insert([name(1)])
        #expect(failed.due == .seconds(13))
    }

    @Test(.timeLimit(.minutes(30))) func valuesAreReportedWithoutLinesWhenTheFolderDoesNotRespond() async throws {
        if let reason = HangingFolder.reasonNotToHang { try Test.cancel("\(reason)") }
        let replica = try await SyncReplica(logs.path, wall: wall)
        let name = try writeUnknown(LogsFolder.writer(1), changes: 1, values: 1)
        try await replica.service.importAll()
        let report = try replica.store.read { try replica.service.deferrals($0) }
        var hanging: HangingFolder? = try HangingFolder("\(logs.path)/\(name.path)")
        let unlocated = await replica.service.located(report)
        #expect(unlocated.newest.map(\.line) == [nil] && unlocated.newest.first?.segment == name)
        try await hanging?.waitForVictim()
        hanging = nil
        // A search gives up after a second, and a busy machine may need longer.
        while await replica.service.located(report).newest.map(\.line) != [4] {}
    }
}
