import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

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
