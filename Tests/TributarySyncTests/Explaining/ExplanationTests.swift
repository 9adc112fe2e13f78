import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A stuck segment is explained: the missing transactions and their holders, the fate of a segment, and the remedy.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct ExplanationTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let till = LogsFolder.writer(1)
    private let office = LogsFolder.writer(2)

    init() throws { logs = try LogsFolder() }

    private func replica(folder: TemporaryFolder? = nil) async throws -> SyncReplica {
        try await SyncReplica(logs.path, wall: wall, folder: folder, configure: { $0.incompleteGrace = .seconds(1) })
    }

    private func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        SegmentName(writer: writer, first: first, last: last)
    }

    private func explain(_ name: SegmentName, _ replica: SyncReplica) async throws -> SegmentsMessage.Segment {
        try #require(try await replica.service.explanation(of: name))
    }

    @Test func whatIsMissingNamesThoseWhoHaveIt() async throws {
        try logs.hire(till, 1...2)
        try logs.hire(till, 4...5, base: 10)
        let later = try logs.hire(office, 1...1, base: 100, seen: [1: [till: 3]])
        let replica = try await replica()
        _ = try await replica.service.sync()
        let gap = try await explain(name(till, 4, 5), replica)
        #expect(gap.state == "waiting" && gap.missing?.count == 1)
        let part = try #require(gap.missing?.first)
        #expect(part.first == 3 && part.last == 3 && part.writer == till)
        #expect(part.holders.map(\.writer) == [till, office] && part.holders.map(\.cause) == ["wrote", "applied"])
        #expect(try await explain(later.name, replica).missing?.first?.holders.map(\.writer) == [till, office])

        let known = replica.service.knownTransactions(try replica.store.read { try $0.writers.all() })
        #expect(known.behind(till) == 3 && known.behind(office) == 1 && known.behind(replica.own) == 0)
        #expect(!known.isKnown(LogsFolder.writer(9)))
        #expect(replica.service.missingParts(of: till, known) == [part])
        #expect(replica.service.missingParts(of: replica.own, known).isEmpty)
        // A transaction that only others name is missing as well.
        let lost = try await explain(name(till, 3, 3), replica)
        #expect(lost.state == "missing" && lost.reason?.contains("up to 2") == true, "\(lost)")
        #expect(lost.hint?.contains("tributaryctl writer abandon \(till)") == true)
        #expect(lost.missing?.first?.holders.map(\.writer) == [till, office])
        #expect(try await replica.service.explanation(of: name(LogsFolder.writer(9), 1, 1)) == nil)

        try await replica.service.abandon(till)
        #expect(try await explain(name(till, 3, 3), replica).notes?.contains { $0.contains("abandoned") } == true)
    }

    @Test func theNameOfAWriterIsThatInItsSegments() async throws {
        var segment = LogsFolder.text(till, 2...2)
        segment.lines[0] = SegmentHeader(writer: till, name: "till-12", first: 2, last: 2).line
        try logs.put(segment)
        let replica = try await replica()
        _ = try await replica.service.sync()
        #expect(try await explain(segment.name, replica).writerName == "till-12")
    }

    @Test func anAppliedSegmentWhoseFileIsGoneSaysSo() async throws {
        let segment = try logs.hire(till, 1...2)
        let replica = try await replica()
        _ = try await replica.service.sync()
        #expect(try await explain(segment.name, replica).notes == nil)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(segment.name.path)")
        let gone = try await explain(segment.name, replica)
        #expect(gone.state == "applied" && gone.notes?.first?.contains("tributaryctl check") == true, "\(gone)")
        // Other bounds of what is applied.
        let other = try await explain(name(till, 2, 2), replica)
        #expect(other.reason?.contains(segment.name.fileName) == true, "\(other)")
        try await replica.service.evict(till)
        #expect(try await explain(segment.name, replica).notes?.contains { $0.contains("evicted") } == true)
    }

    @Test func aBlobNamesTheFoldersThatHaveIt() async throws {
        let bytes = Array(repeating: UInt8(7), count: 100)
        let hash = SHA256.hash(data: bytes).hexadecimal
        let value = JSONValue.object([
            JSONMember(key: "blob", value: .string(hash)), JSONMember(key: "size", value: .integer(100)),
        ])
        let changes = [SyncModel.insert(1), SyncModel.update(1, "photo", value)]
        let segment = SegmentText(writer: till, [SyncModel.transaction(1, changes)])
        try logs.put(segment)
        let replica = try await replica()
        _ = try await replica.service.sync()
        let waiting = try await explain(segment.name, replica)
        #expect(waiting.missing?.map(\.blob) == [hash] && waiting.missing?.map(\.writer) == [till], "\(waiting)")
        #expect(waiting.missing?.first?.holders.map(\.cause) == ["wrote"])
        try logs.put(bytes, at: "\(office)/blobs/\(hash)")
        let found = try await explain(segment.name, replica)
        #expect(found.missing?.first?.holders.map(\.writer) == [till, office])
        // The hint cures.
        let hint = try #require(found.hint)
        let command = try #require(hint.components(separatedBy: ": ").last)
        try FileManager.default.createDirectory(atPath: "\(logs.path)/\(till)/blobs", withIntermediateDirectories: true)
        let shell = try ChildProcess("/bin/sh", ["-c", command])
        #expect(await shell.ending() == .exited(0), "\(command)")
        _ = try await replica.service.sync()
        #expect(try await replica.state(segment.name) == .applied)
    }

    /// Whatever is wrong with a segment, the problem has a hint, and most hints a command.
    @Test func eachProblemOfSegmentsHasAHint() async throws {
        let good = LogsFolder.text(till, 1...1)
        try logs.put(Array(good.bytes().dropLast(30)), at: good.name)
        let damaged = LogsFolder.text(office, 1...1)
        try logs.put(damaged.bytes(sha256: String(repeating: "0", count: 64)), at: damaged.name)
        let rejected = LogsFolder.text(LogsFolder.writer(3), 1...1)
        try logs.put(rejected.bytes(changes: 7), at: rejected.name)
        try logs.hire(LogsFolder.writer(4), 1...1, at: wall.now.later(by: .seconds(86_400)))
        try logs.hire(LogsFolder.writer(5), 2...2)
        let replica = try await replica()
        _ = try await replica.service.sync()
        wall.advance(milliseconds: 5_000)
        _ = try await replica.service.sync()
        let problems = replica.service.status.problems
        let codes: Set<Problem.Code> = [.segmentsDamaged, .segmentsRejected, .segmentsHeld, .segmentsWaiting]
        #expect(codes.isSubset(of: problems.map(\.code)), "\(problems)")
        for problem in problems { #expect(problem.hint?.contains(": tributaryctl ") == true, "\(problem)") }
    }
}
