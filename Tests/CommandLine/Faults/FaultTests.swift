import Glibc
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Failures of the disk, below SQLite and below the files of the log folder: the daemon reports them, continues to
/// respond, and has lost nothing when they end.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct FaultTests {
    @Test(arguments: FaultTarget.allCases) func aFailureIsReportedAndLeavesNothingBehind(_ target: FaultTarget)
        async throws
    {
        let replica = try await FaultyReplica.started()
        try await replica.expectRecovery("before the first failure")
        for rule in target.rules {
            let comment = Comment(rawValue: "\(rule)")
            // The work before the failure has ended.
            _ = try await replica.synchronize()
            replica.control.begin(rule)
            let reports = try await provoke(target, replica)
            #expect(replica.control.hits() > 0, "no call has failed: \(rule)")
            if rule.isHarmless {
                #expect(reports.isEmpty, "\(rule): \(reports)")
            } else {
                // A full disk has a status of its own where the report of the failure keeps the reason.
                let same = reports.map { $0 == "507" && rule.error == ENOSPC ? "503" : $0 }
                #expect(Set(same) == Set(target.reports), "\(rule): \(reports)\n\(replica.journal)")
            }
            replica.control.end()
            try await replica.expectRecovery(comment)
        }
        try await replica.expectCheckWithoutProblems("after all failures")
    }

    /// Has the daemon work on what fails, and returns what it reports: statuses of responses and problems of its status.
    private func provoke(_ target: FaultTarget, _ replica: FaultyReplica) async throws -> [String] {
        var answers: [AdminResponse?] = []
        switch target {
        case .wal:
            answers.append(try await replica.save())
            try replica.dropSegment()
            _ = try await replica.synchronize()
        case .store:
            // Two of these fill the WAL far enough for a checkpoint.
            for _ in 0..<8 where try await replica.problems().isEmpty {
                answers.append(try await replica.save(name: 1 << 20))
            }
        case .staging, .naming:
            answers.append(try await replica.save())
            answers.append(try await replica.synchronize())
        case .blob:
            answers.append(try await replica.save(file: 200_000))
        case .backup:
            answers.append(try await replica.backUp())
        case .reading:
            try replica.dropSegment()
            answers.append(try await replica.synchronize())
        }
        let refusals = answers.compactMap(\.self).filter { !$0.isSuccess }
        let types = ["input-output", "storage-full"].map { "urn:tributary:problem:" + $0 }
        #expect(refusals.allSatisfy { answer in types.contains { answer.text.contains($0) } }, "\(refusals)")
        return refusals.map { "\($0.status)" } + (try await replica.problems())
    }

    /// The first export needs a folder whose name is not durable would be lost with its segments.
    @Test func aNewFolderIsDurableBeforeASegmentIsInIt() async throws {
        let replica = try await FaultyReplica.started()
        replica.control.begin(.failing(.sync, "*/logs", EIO))
        for _ in 0..<2 {
            _ = try await replica.save()
            let answer = try await replica.synchronize()
            #expect(answer.status == 503, "\(answer.text)")
            #expect(try await replica.problems() == ["export-failed"])
        }
        replica.control.end()
        try await replica.expectRecovery("the first export")
    }

    @Test(arguments: [
        FaultRule.failing(.open, "*/one.sqlite", EIO), .failing(.read, "*/one.sqlite", EIO),
        .failing(.write, "*/one.sqlite-wal", ENOSPC), .failing(.sync, "*/one.sqlite-wal", EIO),
    ])
    func aDaemonThatCannotUseItsStoreEndsWithAnExitStatus(_ rule: FaultRule) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let replica = try await FaultyReplica()
        try await replica.startPeer()
        // A store with content is only read at the start.
        let begins =
            rule.calls == .write || rule.calls == .sync ? ["a new store"] : ["a new store", "a store with content"]
        for begin in begins {
            replica.control.begin(rule)
            let (ending, journal) = try await replica.startInVain()
            #expect(ending == .exited(ExitStatus.inputOutput.rawValue), "\(begin): \(ending)\n\(journal)")
            #expect(journal.contains("one.sqlite"), "\(journal)")
            replica.control.end()
            try await replica.start()
            #expect(try await replica.save() == nil)
            try await replica.expectRecovery(Comment(rawValue: begin))
            if begin != begins.last { await replica.kill() }
        }
    }

    @Test(arguments: [
        FaultRule.failing(.write, "*/one.sqlite", EIO), .failing(.sync, "*/one.sqlite", EIO),
        .failing(.write, "*/logs/*", EIO), .failing(.write, "*/one.sqlite-wal", ENOSPC),
    ])
    func aDaemonThatCannotFinishStopsAndLosesNothing(_ rule: FaultRule) async throws {
        let replica = try await FaultyReplica.started()
        try await replica.expectRecovery("before the failure")
        replica.control.begin(.failing(.open, "*/logs/.staging/*", EIO), at: 1)
        for _ in 0..<3 { #expect(try await replica.save() == nil) }
        replica.control.begin(rule)
        // All saves are committed: the export continues at the next start.
        #expect(await replica.stop() == .exited(0), "\(replica.journal)")
        replica.control.end()
        try await replica.start()
        try await replica.expectRecovery("after the failure")
    }
}
