import Logging
import TestSupport
import Testing
import TributaryChanges

@testable import TributarySync

/// What the journal tells at `info` of imports, saves and merges.
@Suite(.timeLimit(.minutes(5)), .watcherTurns) struct ActivityJournalTests {
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
            summary.imported(ImportCounts(segments: 2, transactions: 3, changes: 4), from: [writer], at: now)
            summary.exported(ImportCounts(segments: 1, transactions: 1, changes: 0), at: now)
        }
        // A minute after the line before.
        #expect(summary.due == .seconds(62))
        let line = summary.take(at: .seconds(62))
        #expect(line?["cause"] == "import and acknowledgement")
        #expect(line?["writers"] == "\(writers[0]), \(writers[1]), \(writers[2]) and 2 more")
        #expect(line?["imported"] == "10 segments, 15 transactions, 20 changes")
        summary.exported(ImportCounts(segments: 1, transactions: 1, changes: 1), at: .seconds(300))
        #expect(summary.due == .seconds(302), "what comes after a quiet minute is told soon")
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
