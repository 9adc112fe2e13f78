import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A segment names the hash of the one before: a fork whose other file never comes here shows itself by that.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct SegmentLinkTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let writer, other: UniqueID

    init() throws { (logs, writer, other) = (try LogsFolder(), LogsFolder.writer(1), LogsFolder.writer(2)) }

    private func segment(
        _ range: ClosedRange<UInt64>,
        _ name: String = "Ann",
        after previous: String? = nil
    ) -> SegmentText {
        LogsFolder.text(writer, range, name: name, previous: previous)
    }

    private func forked(_ replica: SyncReplica) -> [SegmentStatus] {
        replica.service.state.read { $0.planner.statuses(wall: wall.now) }.filter { $0.state == .forked }
    }

    @Test func aSegmentThatFollowsAnotherOneIsAppliedAndTold() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let (here, elsewhere) = (segment(1...2), segment(1...2, "Eve"))
        try logs.put(here)
        try await replica.service.importAll()
        let next = segment(3...3, after: elsewhere.sha256)
        try logs.put(next)
        try logs.hire(other, 1...1, base: 100, seen: [1: [writer: 3]])
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 3 && replica.position(other) == 1)
        let problem = try #require(replica.service.status.problems.first)
        #expect(problem.code == .segmentsForked && problem.writer == writer)
        for text in [next.name.path, here.name.path, here.sha256, elsewhere.sha256, "transaction 2"] {
            #expect(problem.detail.contains(text), "\(problem)")
        }
        #expect(problem.hint?.contains("\(writer)") == true)
        let check = try await replica.check(logs.path)
        #expect(check.problems.map(\.code) == [.segmentsForked] && check.comparison.result == "equal", "\(check)")
        #expect(check.problems.first?.file?.hasSuffix(next.name.path) == true, "\(check)")
        // What follows is linked to what is applied.
        try logs.put(segment(4...4, after: next.sha256))
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 4)
        #expect(forked(replica).map(\.id) == [next.name])
        try await replica.stop()
        let again = try await SyncReplica(logs.path, wall: wall, folder: replica.folder)
        try await again.service.importAll()
        #expect(forked(again).map(\.id) == [next.name])
    }

    @Test func segmentsOfOneChainAreNotTold() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        var previous: String?
        for sequence in 1...3 as ClosedRange<UInt64> {
            let segment = segment(sequence...sequence, after: previous)
            try logs.put(segment)
            previous = segment.sha256
        }
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 3)
        #expect(replica.service.status.problems.isEmpty)
        #expect(try await replica.check(logs.path).ok)
    }

    /// A copy of the writer's store has published the transactions within other bounds.
    @Test func aSegmentOfOtherBoundsBeforeIsComparedByItsContent() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.put(segment(1...2))
        try await replica.service.importAll()
        let second = segment(2...2)
        try logs.put(second)
        try logs.put(segment(3...3, after: second.sha256))
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 3)
        #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
    }

    /// However many segments name a wrong segment before.
    @Test func aFolderIsListedOnceAndAFileIsReadOnce() throws {
        let (first, second, third) = (segment(1...1), segment(2...2), segment(3...3))
        for segment in [first, second] { try logs.put(segment) }
        let folder = try LogFolder(path: logs.path)
        var ends = SegmentEnds()
        func contains(_ segment: SegmentText) throws -> Bool {
            try ends.contain(segment.sha256, of: writer, endingWith: segment.name.last, in: folder)
        }
        #expect(try contains(first) && !contains(third))
        for segment in [first, second] { try folder.remove([segment.name.fileName], of: writer) }
        try logs.put(third)
        #expect(try contains(first) && !contains(second) && !contains(third))
        ends = SegmentEnds()
        #expect(try !contains(first) && contains(third))
    }

    /// Of applied segments that begin together, the comparison reads the one that reaches furthest.
    @Test func aCopyIsComparedWithTheSegmentThatReachesFurthest() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        for last in 2...4 as ClosedRange<UInt64> {
            try logs.put(segment(1...last))
            try await replica.service.importAll()
        }
        #expect(try replica.store.read { try $0.writers.segments(writer: writer) }.count == 3)
        let elsewhere = segment(1...4, "Eve")
        let copy = "\(elsewhere.name.fileName.dropLast(5)).sync-conflict-20240620-120000-ABCDEFG.tlog"
        try logs.put(elsewhere.bytes(), at: "\(writer)/\(copy)")
        try await replica.service.importAll()
        let reasons = forked(replica).map(\.reason)
        #expect(reasons.count == 1 && reasons[0].contains(elsewhere.name.path), "\(reasons)")
    }

    @Test func aConflictCopyIsToldInsteadOfWhatFollowsIt() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        let (here, elsewhere) = (segment(1...2), segment(1...2, "Eve"))
        try logs.put(here)
        try await replica.service.importAll()
        let copy = "\(here.name.fileName.dropLast(5)).sync-conflict-20240620-120000-ABCDEFG.tlog"
        try logs.put(elsewhere.bytes(), at: "\(writer)/\(copy)")
        try logs.put(segment(3...3, after: elsewhere.sha256))
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 3)
        #expect(forked(replica).map(\.file) == ["\(writer)/\(copy)"])
    }

    /// A baseline has the transactions before.
    @Test func withoutARecordNothingIsCompared() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        var comparison = ContentComparison(store: replica.store, logs: try LogFolder(path: logs.path))
        let name = SegmentName(writer: writer, first: 3, last: 3)
        #expect(try comparison.brokenLink(from: name, to: segment(1...2).sha256) == nil)
        try logs.put(segment(1...1))
        try await replica.service.importAll()
        #expect(try comparison.brokenLink(from: name, to: segment(1...2).sha256) == nil)
        #expect(try comparison.brokenLink(from: name, to: nil) == nil)
    }
}
