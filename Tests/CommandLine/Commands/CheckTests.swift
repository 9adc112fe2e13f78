import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

/// A check finds what is wrong with a store and its log folder, and says what it cannot compare.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct CheckTests {
    private func check(_ daemon: RunningDaemon, repair: Bool = false) async throws -> CheckReport {
        let answer = try await daemon.command(["--json", "check"] + (repair ? ["--repair"] : []))
        let message = try JSONDecoder().decode(CheckReport.self, from: Data(answer.output.utf8))
        #expect(answer.ending == .exited(message.ok ? 0 : 75), "\(answer)")
        return message
    }

    private func insert(_ titles: [String], into daemon: RunningDaemon) async throws {
        try await daemon.save(titles.map { #"{"insert":"Department","values":{"title":"\#($0)"}}"# })
    }

    /// A daemon with exported changes of its own and three segments of another writer.
    private func filled(_ more: String = "") async throws -> (daemon: RunningDaemon, foreign: [String]) {
        let daemon = try await RunningDaemon.started(configuring: more)
        var writer = RunningDaemon.foreignWriter()
        let foreign = try (1...3).map { number in
            try writer.write([[RunningDaemon.insertion(UInt8(number))], []], to: daemon.logs)
        }
        try await insert(["one", "two"], into: daemon)
        try await insert(["three"], into: daemon)
        try await daemon.success(of: ["sync"])
        return (daemon, foreign)
    }

    private func ownSegments(_ daemon: RunningDaemon, without foreign: [String]) throws -> [String] {
        let files = FileManager.default.enumerator(atPath: daemon.logs)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".tlog") && !$0.hasPrefix(".") }.map { "\(daemon.logs)/\($0)" }
            .filter { !foreign.contains($0) }.sorted()
    }

    @Test func aWholeStoreIsEqualToOneBuiltFromItsFolder() async throws {
        let (daemon, _) = try await filled()
        let text = try await daemon.success(of: ["check"])
        #expect(text.output.contains("a store built from the log folder is equal"), "\(text.output)")
        let message = try await check(daemon)
        #expect(message.comparison.result == "equal" && message.segments >= 4, "\(message)")
        #expect(try await daemon.digest() == message.comparison.digest)
        let scratch = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).filter {
            $0.contains("scratch")
        }
        #expect(scratch.isEmpty)
    }

    @Test func localChangesThatAreNotExportedTakePart() async throws {
        let daemon = try RunningDaemon()
        try daemon.configure("export: {enabled: false}")
        try daemon.reconfigure("export: {debounce: 10ms}\n", to: "")
        try await daemon.start()
        try await insert(["one"], into: daemon)
        try await insert(["two"], into: daemon)
        let message = try await check(daemon)
        #expect(message.ok && message.comparison.result == "equal" && message.unexported == 2, "\(message)")
    }

    @Test func missingAndChangedSegmentsAreNamed() async throws {
        let (daemon, foreign) = try await filled()
        let kept = try Data(contentsOf: URL(fileURLWithPath: foreign[1]))
        try FileManager.default.removeItem(atPath: foreign[1])
        var message = try await check(daemon)
        #expect(message.problems.map(\.code) == [.segmentMissing], "\(message)")
        #expect(message.problems.first?.file == foreign[1])
        #expect(message.comparison.result == "impossible" && message.comparison.reason == "segments-missing")
        // Another segment of the same name is no longer the one that was applied.
        var other = kept
        other.replaceSubrange(other.startIndex..<other.startIndex + 1, with: Data("[".utf8))
        try other.write(to: URL(fileURLWithPath: foreign[1]))
        message = try await check(daemon)
        #expect(message.problems.map(\.code) == [.segmentDamaged], "\(message)")
        try kept.write(to: URL(fileURLWithPath: foreign[1]))
        message = try await check(daemon)
        #expect(message.ok && message.comparison.result == "equal", "\(message)")
    }

    @Test func aFolderThatCannotBeReadHidesNoOther() async throws {
        let (daemon, foreign) = try await filled()
        let name = UniqueID(high: 7, low: 7).description
        try Data().write(to: URL(fileURLWithPath: "\(daemon.logs)/\(name)"))
        try FileManager.default.removeItem(atPath: foreign[2])
        let message = try await check(daemon)
        #expect(message.problems.map(\.code) == [.logsUnreadable, .segmentMissing], "\(message)")
        #expect(message.problems.first?.writer == UniqueID(name) && message.segments >= 3, "\(message)")
    }

    @Test func anOwnSegmentThatVanishedIsPublishedAgain() async throws {
        let (daemon, foreign) = try await filled()
        let own = try ownSegments(daemon, without: foreign)
        let file = try #require(own.first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: file)
        let found = try await check(daemon)
        #expect(found.problems.map(\.code) == [.exportMissing], "\(found)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.comparison.result == "equal", "\(repaired)")
        #expect(repaired.repairs.count == 1 && repaired.repairs[0].contains("published again"), "\(repaired)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    }

    @Test(arguments: [10, -1]) func anOwnSegmentThatWasDamagedIsPublishedAgain(at offset: Int) async throws {
        let (daemon, foreign) = try await filled()
        let file = try #require(try ownSegments(daemon, without: foreign).first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        var other = bytes
        other[offset < 0 ? other.count + offset : offset] ^= 1
        try other.write(to: URL(fileURLWithPath: file))
        let found = try await check(daemon)
        #expect(found.problems.map(\.code) == [.segmentDamaged], "\(found)")
        #expect(found.problems.first?.hint?.contains("check --repair") == true, "\(found)")
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.comparison.result == "equal", "\(repaired)")
        #expect(repaired.repairs.count == 1 && repaired.repairs[0].contains("published again"), "\(repaired)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    }

    /// No hash covers the counts of the end line.
    @Test func anOwnSegmentWithAnotherEndLineIsPublishedAgain() async throws {
        let (daemon, foreign) = try await filled()
        let file = try #require(try ownSegments(daemon, without: foreign).first)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let count = try #require(text.range(of: #""changes":"#, options: .backwards)?.upperBound)
        let other = text.replacingCharacters(in: count...count, with: "9")
        try #require(other != text)
        try Data(other.utf8).write(to: URL(fileURLWithPath: file))
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == 1, "\(repaired)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    /// The store has two writers, and the folder of the former writer is gone.
    @Test func aFolderOfAFormerWriterIsMadeAgain() async throws {
        let (daemon, foreign) = try await filled()
        let former = try ownSegments(daemon, without: foreign)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        // As after a boot: nothing proves that no copy of the store continues as this writer.
        var status = stat()
        #expect(stat(daemon.store, &status) == 0)
        #expect(unlink("/dev/shm/tributary-\(geteuid())/\(status.st_dev)-\(status.st_ino)") == 0)
        try await daemon.start()
        try await insert(["four"], into: daemon)
        try await daemon.success(of: ["sync"])
        let folder = (try #require(former.first) as NSString).deletingLastPathComponent
        let all = try ownSegments(daemon, without: foreign)
        try #require(all.contains { !$0.hasPrefix(folder) }, "the store is a fresh writer: \(all)")
        try FileManager.default.removeItem(atPath: folder)
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == former.count, "\(repaired)")
        #expect(try ownSegments(daemon, without: foreign) == all)
    }

    /// The file of the segment's name is damaged, while an intact copy is beside it.
    @Test func aDamagedSegmentBesideAWholeCopyIsPublishedAgain() async throws {
        let (daemon, foreign) = try await filled()
        let file = try #require(try ownSegments(daemon, without: foreign).first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let copy = file.replacing(".tlog", with: ".sync-conflict-20260101-000000-ABCDEFG.tlog")
        try bytes.write(to: URL(fileURLWithPath: copy))
        try bytes.dropLast(9).write(to: URL(fileURLWithPath: file))
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == 1, "\(repaired)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    }

    /// Damages all own segments, and returns their former content by path.
    private func damageAll(_ daemon: RunningDaemon, without foreign: [String]) throws -> [String: Data] {
        let files = try ownSegments(daemon, without: foreign)
        try #require(files.count > 1, "\(files)")
        return try files.reduce(into: [:]) { contents, file in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try bytes.dropLast(9).write(to: URL(fileURLWithPath: file))
            contents[file] = bytes
        }
    }

    private func exportTwoSegments(_ daemon: RunningDaemon) async throws {
        for title in ["four", "five"] {
            try await insert([title], into: daemon)
            try await daemon.success(of: ["sync"])
        }
    }

    @Test func aFolderInThePlaceOfAnOwnSegmentEndsNoRepair() async throws {
        let (daemon, foreign) = try await filled()
        try await exportTwoSegments(daemon)
        let contents = try damageAll(daemon, without: foreign)
        let taken = try #require(contents.keys.sorted().first)
        try FileManager.default.removeItem(atPath: taken)
        try FileManager.default.createDirectory(atPath: taken + "/kept", withIntermediateDirectories: true)
        let found = try await check(daemon, repair: true)
        #expect(found.problems.map(\.code) == [.segmentDamaged], "\(found)")
        #expect(found.repairs.count == contents.count - 1, "\(found)")
        let problem = try #require(found.problems.first)
        #expect(problem.file == taken && problem.detail.contains("not published again"), "\(problem)")
        let command = "rm -r \(taken) && tributaryctl check --repair"
        #expect(problem.hint?.hasSuffix(command) == true, "\(problem)")
        #expect(FileManager.default.fileExists(atPath: taken + "/kept"))
        try FileManager.default.removeItem(atPath: taken)
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.comparison.result == "equal", "\(repaired)")
        for (file, bytes) in contents { #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes) }
    }

    /// The daemon runs without the capability that lets root write everywhere.
    @Test func aFolderThatCannotBeWrittenEndsNoRepair() async throws {
        let (daemon, foreign) = try await filled()
        try await exportTwoSegments(daemon)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.startWithoutReadingEverything()
        let contents = try damageAll(daemon, without: foreign)
        let damaged = try contents.keys.map { ($0, try Data(contentsOf: URL(fileURLWithPath: $0))) }
        let folder = (try #require(contents.keys.first) as NSString).deletingLastPathComponent
        #expect(chmod(folder, 0o500) == 0)
        let found = try await check(daemon, repair: true)
        #expect(chmod(folder, 0o770) == 0)
        #expect(found.problems.count == contents.count && found.repairs.isEmpty, "\(found)")
        #expect(found.problems.allSatisfy { $0.code == .segmentDamaged }, "\(found)")
        #expect(found.problems.allSatisfy { $0.detail.contains("Permission denied") }, "\(found)")
        #expect(found.problems.allSatisfy { $0.hint?.contains("the right to write there") == true }, "\(found)")
        for (file, bytes) in damaged { #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes) }
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == contents.count, "\(repaired)")
    }

    @Test(arguments: [
        FaultRule.failing(.write, "/.staging/*/*.tlog", ENOSPC),
        .failing(.rename, "/????????-????-????-????-????????????/*.tlog", ENOSPC),
    ])
    func aFullDiskLosesNoFileOfARepair(_ rule: FaultRule) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let control = try await FaultControl(in: daemon.folder)
        try await daemon.start(through: "/usr/bin/env", control.environment.map { "\($0)=\($1)" })
        try await exportTwoSegments(daemon)
        let contents = try damageAll(daemon, without: [])
        let damaged = try contents.keys.map { ($0, try Data(contentsOf: URL(fileURLWithPath: $0))) }
        var rule = rule
        rule.pattern = daemon.logs + rule.pattern
        control.begin(rule)
        let found = try await check(daemon, repair: true)
        #expect(control.hits() > 0)
        control.end()
        #expect(found.problems.count == contents.count && found.repairs.isEmpty, "\(found)")
        #expect(found.problems.allSatisfy { $0.detail.contains("No space left on device") }, "\(found)")
        for (file, bytes) in damaged { #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes) }
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == contents.count, "\(repaired)")
    }

    /// The store deletes the lines of a segment when others, or an endorsed baseline, have its transactions.
    @Test(arguments: [true, false]) func aRepairWithoutLinesSaysWhatHelps(hasBaseline: Bool) async throws {
        let (daemon, foreign) = try await filled()
        // The second pass deletes lines that the first one has left.
        for _ in 0..<2 where hasBaseline { try await daemon.success(of: ["compact"]) }
        if !hasBaseline {
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
            try PlainSQL(path: daemon.store).execute("DELETE FROM tributary_outgoing")
            try await daemon.start()
        }
        let file = try #require(try ownSegments(daemon, without: foreign).first)
        try Data(contentsOf: URL(fileURLWithPath: file)).dropLast(9).write(to: URL(fileURLWithPath: file))
        for isRepair in [false, true] {
            let found = try await check(daemon, repair: isRepair)
            #expect(found.problems.map(\.code) == [.segmentDamaged] && found.repairs.isEmpty, "\(found)")
            let problem = try #require(found.problems.first)
            let baseline = hasBaseline ? "but an endorsed baseline has" : "and no baseline has"
            #expect(problem.detail.contains("no longer has its lines, \(baseline) its transactions"), "\(problem)")
            let hint = hasBaseline ? "Nothing has to be done" : "make a baseline that has its transactions: "
            #expect(problem.hint?.contains(hint) == true, "\(problem)")
            #expect(problem.hint?.contains("check --repair") == false, "\(problem)")
        }
    }

    @Test func anotherStateIsADifferentDigest() async throws {
        let (daemon, _) = try await filled()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try PlainSQL(path: daemon.store).execute("UPDATE Department SET title = 'other' WHERE title = 'one'")
        try await daemon.start()
        let message = try await check(daemon)
        #expect(message.problems.map(\.code) == [.digestDiffers], "\(message)")
        #expect(message.comparison.result == "different" && message.comparison.digest != message.comparison.rebuilt)
    }

    /// Overwrites bytes in the first page of a table or an index.
    private func damage(_ name: String, of daemon: RunningDaemon, at offset: UInt64, with bytes: Data) throws {
        let sql = PlainSQL(path: daemon.store)
        let page = try #require(try sql.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'"))
        let size = try #require(try sql.value("PRAGMA page_size"))
        try sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: daemon.store))
        try file.seek(toOffset: (try #require(UInt64(page)) - 1) * (try #require(UInt64(size))) + offset)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test func damagedIndexesAndMissingOnesAreRebuilt() async throws {
        let (daemon, _) = try await filled()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let name = "tributary_to_one_Employee.department"
        try PlainSQL(path: daemon.store).execute("DROP INDEX \"\(name)\"")
        // The number of the entries in the page of an index: SQLite finds none of them.
        try damage("tributary_history_transaction", of: daemon, at: 3, with: Data([0, 0]))
        try await daemon.start()
        let found = try await check(daemon)
        #expect(Set(found.problems.map(\.code)) == [.storeDamaged, .structureMissing], "\(found)")
        let repaired = try await check(daemon, repair: true)
        #expect(repaired.ok && repaired.repairs.count == 2, "\(repaired)")
        #expect(try await check(daemon).ok)
    }

    @Test func aDamagedTableIsAProblemAndNoFailure() async throws {
        let (daemon, _) = try await filled()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try damage("tributary_history", of: daemon, at: 0, with: Data(repeating: 0xA5, count: 64))
        try await daemon.start()
        let message = try await check(daemon, repair: true)
        #expect(!message.ok && message.problems.contains { $0.code == .storeDamaged }, "\(message)")
        _ = await daemon.stop()
    }

    private func results(_ daemon: RunningDaemon) -> Int {
        daemon.journal.components(separatedBy: "The check has found no problem").count - 1
    }

    @Test(arguments: ["accept: text/event-stream\r\n", ""])
    func aClientThatHangsUpEndsTheCheck(header: String) async throws {
        let daemon = try await RunningDaemon.started()
        try EmployeeSegment(writer: UniqueID(UUID()), transactions: 20, changesEach: 2_000).publish(in: daemon.logs)
        try await daemon.success(of: ["sync"])
        // On a busy machine a check may end before its client has gone.
        for _ in 0..<5 {
            let client = try RawConnection(daemon.socket)
            client.send("POST /v1/check HTTP/1.1\r\nhost: localhost\r\n\(header)content-length: 0\r\n\r\n")
            var refused = try await daemon.command(["check"])
            while refused.ending == .exited(0) { refused = try await daemon.command(["check"]) }
            #expect(
                refused.ending == .exited(75) && refused.errors.contains("is checking the store since"),
                "\(refused)"
            )
            let before = results(daemon)
            client.close()
            while try await daemon.command(["check"]).ending != .exited(0) {}
            if results(daemon) == before + 1 {
                #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
                return
            }
        }
        Issue.record("the check goes on although its client has gone: \(daemon.log)")
    }
}
