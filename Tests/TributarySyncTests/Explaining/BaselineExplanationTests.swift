import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Segments that a verified baseline has: those that are gone, those that a new store never saw, and those that wait
/// for it.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct BaselineExplanationTests {
    /// Two replicas whose first segments are gone, because a verified baseline has them.
    private func compacted(photo: Bool = false) async throws -> (group: CompactingReplicas, gone: [SegmentName]) {
        let group = try await CompactingReplicas.filled(2)
        if photo {
            let value = JSONValue.string(Data(repeating: 7, count: 200_000).base64EncodedString())
            try group.replicas[0].save([SyncModel.update(1, "photo", value)])
            try await group.exchange()
            try await group.acknowledge()
        }
        let before = group.files(".tlog")
        for _ in 0..<2 {
            try await group.compactAll()
            try await group.acknowledge()
        }
        let gone = before.subtracting(group.files(".tlog")).compactMap { SegmentName(path: $0) }.sorted()
        #expect(!gone.isEmpty)
        return (group, gone)
    }

    private func explain(_ name: SegmentName, _ replica: SyncReplica) async throws -> SegmentsMessage.Segment {
        try #require(try await replica.service.explanation(of: name))
    }

    @Test func whatIsGoneNamesItsBaseline() async throws {
        let (group, gone) = try await compacted()
        let name = try #require(gone.first)
        let explanation = try await explain(name, group.replicas[0])
        #expect(explanation.state == "applied")
        #expect(explanation.notes?.contains { $0.contains(".baseline has it") } == true, "\(explanation)")

        // A store that has begun with the baseline has no record of the segment.
        let new = try await group.add()
        try await group.exchange()
        let joined = try await explain(name, new)
        #expect(joined.reason?.contains("from a baseline") == true, "\(joined)")
        #expect(joined.notes?.contains { $0.contains(".baseline has it") } == true)
    }

    /// A value that the model cannot hold came with a baseline, and is told of as one that came with a segment.
    @Test func deferredValuesOfABaselineAreListed() async throws {
        let group = try await CompactingReplicas.filled(2)
        let producer = LogsFolder.writer(1)
        let change = SyncModel.update(1, "shoe", .integer(44))
        try group.logs.put(SegmentText(writer: producer, [SyncModel.transaction(1, [change])]))
        try await group.exchange()
        try await group.acknowledge()
        for _ in 0..<2 {
            try await group.compactAll()
            try await group.acknowledge()
        }
        let new = try await group.add()
        try await group.exchange()
        let record = try new.store.read { try $0.writers.segment(writer: producer, holding: 1) }
        #expect(record == nil, "the store has not begun with the baseline")
        for replica in group.replicas {
            let report = try replica.store.read { try replica.service.deferrals($0) }
            #expect(report.counts.values == 1 && report.since != nil)
            let value = try #require(report.newest.first)
            #expect(value.write.property == "shoe" && value.write.value == "44" && value.write.writer == producer)
            #expect((value.write.index == nil) == (replica.own == new.own))
            #expect(value.text.contains("Employee.shoe = 44"), "\(value.text)")
        }
    }

    /// A blob of a baseline is missing: who waits for what.
    @Test func aBaselineThatIsNotJoinedSaysWhy() async throws {
        let (group, gone) = try await compacted(photo: true)
        var blobs: [String] = []
        for replica in group.replicas {
            let folder = "\(group.logs.path)/\(replica.own)/blobs"
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                blobs.append(name)
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
        let blob = try #require(blobs.first)
        let new = try await group.add()
        try await group.exchange()
        let name = try #require(gone.first)
        let missing = try await explain(name, new)
        #expect(missing.state == "missing", "\(missing)")
        let note = try #require(missing.notes?.last)
        #expect(note.contains("It is not joined: ") && note.contains(blob), "\(note)")
        let known = new.service.knownTransactions(try new.store.read { try $0.writers.all() })
        #expect(known.behind(name.writer) > 0)
    }
}
