import Logging
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

/// What the journal tells at `info` of imports, saves and merges.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct ActivityJournalTests {
    @Test func aSaveIsOneLineAndABusyMinuteIsAnother() {
        var summary = ActivitySummary()
        var changes = ObjectChanges()
        changes.collapseEverything()
        summary.merged(changes, at: .zero)
        summary.exported(ImportCounts(segments: 1, transactions: 1, changes: 2), at: .milliseconds(500))
        #expect(summary.due == .seconds(2))
        let save = summary.take(at: .seconds(2))
        #expect(
            save == [
                "cause": "save", "exported": "1 segment, 1 transaction, 2 changes", "merged": "more than can be listed",
            ]
        )
        let nothing = summary.take(at: .seconds(2))
        #expect(summary.due == nil && nothing == nil)
        let writers = (1...5).map { UniqueID(high: 0, low: $0) }
        for (index, writer) in writers.enumerated() {
            let now = Duration.seconds(3 + 10 * index)
            summary.imported(
                ImportCounts(segments: 2, transactions: 3, changes: 4),
                from: [writer: index == 0 ? "till-12" : nil],
                at: now
            )
            summary.exported(ImportCounts(segments: 1, transactions: 1, changes: 0), at: now)
        }
        // A minute after the line before.
        #expect(summary.due == .seconds(62))
        let line = summary.take(at: .seconds(62))
        #expect(line?["cause"] == "import and acknowledgement")
        #expect(line?["seconds"] == "59", "what the line sums up")
        #expect(line?["writers"] == "till-12 (\(writers[0])), \(writers[1]), \(writers[2]) and 2 more")
        #expect(line?["imported"] == "10 segments, 15 transactions, 20 changes")
        summary.exported(ImportCounts(segments: 1, transactions: 1, changes: 1), at: .seconds(300))
        #expect(summary.due == .seconds(302), "what comes after a quiet minute is told soon")
        let many = (1...9).map { UniqueID(high: 0, low: $0) }
        let names = Dictionary(uniqueKeysWithValues: many.map { ($0, String?.none) })
        summary.imported(ImportCounts(segments: 9, transactions: 9, changes: 9), from: names, at: .seconds(301))
        let together = summary.take(at: .seconds(302))
        #expect(together?["writers"] == "\(many[0]), \(many[1]), \(many[2]) and 6 more", "in a fixed order")
    }

    /// Also by a name from an earlier segment.
    @Test func aLineNamesTheWriterOfAnImport() async throws {
        let journal = JournalRecorder()
        let logs = try LogsFolder()
        let replica = try await SyncReplica(logs.path, wall: SyncWall(), clock: ManualClock(), logger: journal.logger)
        let writer = LogsFolder.writer(1)
        var previous: String?
        for sequence in UInt64(1)...2 {
            var segment = LogsFolder.text(writer, sequence...sequence, previous: previous)
            if sequence == 1 {
                segment.lines[0] = SegmentHeader(writer: writer, name: "till-12", first: 1, last: 1).line
            }
            try logs.put(segment)
            try await replica.service.importAll()
            replica.service.activity.finish()
            previous = segment.sha256
        }
        try await replica.stop()
        let lines = journal.entries.compactMap { $0.values["writers"] }
        #expect(lines == Array(repeating: "till-12 (\(writer))", count: 2))
    }

    @Test func savesOfAMinuteAreOneLineOfTheJournal() async throws {
        let (clock, journal) = (ManualClock(), JournalRecorder())
        let logs = try LogsFolder()
        let replica = try await SyncReplica(logs.path, wall: SyncWall(), clock: clock, logger: journal.logger)
        for number in UInt64(1)...3 {
            try replica.replica.commit([SyncModel.insert(number)])
            try await replica.service.exportNow()
        }
        await clock.waitForSleeper(until: .seconds(2))
        #expect(!journal.entries.contains { $0.level == .info })
        clock.advance(to: .seconds(2))
        while !journal.entries.contains(where: { $0.level == .info }) { await Task.yield() }
        try await replica.stop()
        let lines = journal.entries.filter { $0.level == .info }.map(\.values)
        #expect(lines == [["cause": "save", "exported": "3 segments, 3 transactions, 3 changes"]])
    }
}
