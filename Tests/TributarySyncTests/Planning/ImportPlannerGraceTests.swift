import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// Segments without an end line whose grace is over.
@Suite struct ImportPlannerGraceTests {
    private let id = PlannerBench.name(PlannerBench.a, 1, 1)

    @Test func aSegmentThatHasGrownWithoutAnEventIsNotDamaged() {
        var bench = PlannerBench()
        bench.put(id, .incomplete(reason: "No end line.", line: 2))
        bench.settle()
        bench.wall = bench.wall.later(by: .milliseconds(60_000))
        // The file that was read is not the file that was listed.
        bench.content[id] = .changed
        bench.settle()
        #expect(bench.state(id) != .damaged && bench.verified == [id, id])
        bench.put(id, .incomplete(reason: "No end line.", line: 9))
        #expect(bench.settle() == bench.wall.later(by: .milliseconds(60_000)))
        bench.wall = bench.wall.later(by: .milliseconds(59_999))
        bench.settle()
        #expect(bench.state(id) == .incomplete && bench.verified.count == 3)
    }

    @Test func oneThatHasNotGrownIsReadOnceMoreAndNotAgain() {
        var bench = PlannerBench()
        bench.put(id, .incomplete(reason: "No end line.", line: 2))
        bench.settle()
        for _ in 0..<3 {
            bench.wall = bench.wall.later(by: .milliseconds(60_000))
            #expect(bench.settle() == nil)
            #expect(bench.state(id) == .damaged)
        }
        #expect(bench.verified == [id, id])
    }
}

/// A folder with more segments of one writer than the importer's cache holds.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct BacklogTests {
    @Test func moreSegmentsThanAreRememberedAreImported() async throws {
        let count: UInt64 = 4_500
        let folder = try TemporaryFolder.inMemory("backlog")
        let writer = LogsFolder.writer(1)
        mkdir(folder.path("logs"), 0o770)
        mkdir(folder.path("logs/\(writer)"), 0o770)
        for sequence in 1...count {
            let segment = LogsFolder.text(writer, sequence...sequence)
            let path = folder.path("logs/\(segment.name.path)")
            try #require(FileManager.default.createFile(atPath: path, contents: Data(segment.bytes())))
        }
        let replica = try await SyncReplica(folder.path("logs"), wall: SyncWall())
        let result = try await replica.service.sync()
        #expect(try replica.position(writer) == count)
        #expect(replica.service.status.segments == [.applied: Int(count)])
        #expect(result.remaining.isEmpty)
        try await replica.stop()
    }
}
