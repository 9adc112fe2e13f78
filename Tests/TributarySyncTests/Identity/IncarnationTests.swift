import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Stores that are set back and copied: nothing is issued twice, and nothing is counted twice.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct IncarnationTests {
    private static let visits = "visits: {type: Integer 64, default: 0, merge: counter}"

    private let logs: LogsFolder
    private let wall = SyncWall()
    private let model: Model

    init() throws {
        logs = try LogsFolder()
        model = try Model(yaml: EmployeeModel.text(adding: Self.visits))
    }

    private static func visit(_ count: Int64) -> Change {
        SyncModel.update(1, "visits", .object([JSONMember(key: "increment", value: .integer(count))]))
    }

    private static func visits(_ replica: SyncReplica) throws -> PropertyValue? {
        try replica.store.read { reader in
            guard let row = try reader.row(SyncModel.employee(1), rootEntity: "Employee") else { return nil }
            return row.entity.properties.firstIndex { $0.name == "visits" }.map { row.values[$0] }
        }
    }

    /// Starts a replica, which exports also when it stops, unless it exports nothing.
    private func start(
        _ folder: TemporaryFolder? = nil,
        name: String = "test",
        exports: Bool = true
    ) async throws -> SyncReplica {
        try await SyncReplica(
            logs.path,
            wall: wall,
            folder: folder,
            name: name,
            model: model,
            configure: { $0.exports = exports }
        )
    }

    private static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copied = try TemporaryFolder("replica")
        try put(folder, in: copied)
        return copied
    }

    /// Puts the files of a closed store in the place of those of another one.
    private static func put(_ older: TemporaryFolder, in folder: TemporaryFolder) throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: folder.path) {
            try files.removeItem(atPath: folder.path(name))
        }
        for name in try files.contentsOfDirectory(atPath: older.path) {
            try files.copyItem(atPath: older.path(name), toPath: folder.path(name))
        }
    }

    /// Checks that these replicas and a new one have the same state without any problem.
    private func expectEqual(_ replicas: [SyncReplica], visits: Int64) async throws {
        let all = replicas + [try await start(name: "peer")]
        for _ in 0..<2 { for replica in all { _ = try await replica.service.sync() } }
        for replica in all {
            #expect(try Self.visits(replica) == .integer(visits))
            #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
        }
        #expect(Set(try all.map { try $0.store.read { try $0.mergeState.digest().digest } }).count == 1)
    }

    /// It asks nobody, and takes what it has published since from the log folder, as anybody does.
    @Test(arguments: [true, false]) func anOlderCopyThatIsPutBackGoesOnAtOnce(hasFolder: Bool) async throws {
        let first = try await start(exports: hasFolder)
        try first.save([SyncModel.insert(1)])
        try first.save([Self.visit(100)])
        try await first.stop()
        let older = try Self.copy(first.folder)
        let later = try await start(first.folder)
        #expect(later.own == first.own)
        try later.save([Self.visit(30)])
        try await later.stop()
        let last = try await start(first.folder, exports: false)
        try last.save([Self.visit(1_000)])
        try await last.stop()
        try Self.put(older, in: first.folder)
        if !hasFolder { try FileManager.default.removeItem(atPath: "\(logs.path)/\(first.own)") }

        let again = try await start(first.folder)
        try again.save([Self.visit(1)])
        try await again.service.exportNow()
        let own = try again.store.read { try $0.writers.own() }
        #expect(own.id != first.own && own.incarnation.after?.writer == first.own)
        #expect(logs.segments(of: own.id).map(\.last) == [1])
        #expect(logs.segments(of: first.own).map(\.last).max() == (hasFolder ? 3 : 2))
        try await expectEqual([again], visits: hasFolder ? 131 : 101)
    }

    /// With equal bounds the second one finds its segment published, with others the readers skip what they have.
    @Test(arguments: [true, false], [true, false])
    func whatTwoStoresHaveUnexportedIsPublishedByBoth(isEqual: Bool, isCloneFirst: Bool) async throws {
        let original = try await start(exports: false)
        try original.save([SyncModel.insert(1)])
        try original.save([Self.visit(100)])
        try await original.stop()
        let copied = try Self.copy(original.folder)
        let (first, clone) = (try await start(original.folder), try await start(copied))
        if !isEqual { try first.save([Self.visit(30)]) }
        try clone.save([Self.visit(1)])
        for replica in isCloneFirst ? [clone, first] : [first, clone] {
            try await replica.service.exportNow()
            #expect(!logs.segments(of: original.own).isEmpty)
        }
        #expect(logs.segments(of: original.own).map(\.last).max() == (isEqual ? 2 : 3))
        let own = try clone.store.read { try $0.writers.own() }
        #expect(own.incarnation.after == Incarnation.Predecessor(writer: original.own, sequence: 2))
        #expect(try first.store.read { try $0.writers.own().id } == original.own)
        #expect(own.store != original.own)
        try await expectEqual([first, clone], visits: isEqual ? 101 : 131)
    }

    /// The transactions that the older copy lacks have gone from the log folder: a baseline has them.
    @Test func countersAreRightAfterABaselineReplacedWhatTheOlderCopyLacks() async throws {
        let group = try CompactingReplicas(model: model)
        let (first, second) = (try await group.add(), try await group.add())
        try first.save([SyncModel.insert(1)])
        try first.save([Self.visit(100)])
        try await group.exchange()
        try await first.stop()
        let older = try Self.copy(first.folder)
        group.replicas = [try await group.add(in: first.folder), second]
        try group.replicas[0].save([Self.visit(30)])
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAll()
        #expect(!group.files(".tlog").contains { $0.hasPrefix("\(first.own)/0000000000000001") })
        try await group.replicas[0].stop()
        try Self.put(older, in: first.folder)
        group.replicas = [try await group.add(in: first.folder), second]
        try group.replicas[0].save([Self.visit(1)])
        for _ in 0..<2 { try await group.exchange() }
        for replica in group.replicas { #expect(try Self.visits(replica) == .integer(131)) }
        #expect(try group.digests().count == 1)
    }

    // MARK: Overlapping files

    private func counted(_ writer: UniqueID, _ range: ClosedRange<UInt64>, other: UInt64? = nil) -> SegmentText {
        SegmentText(
            writer: writer,
            range.map { sequence in
                let change = sequence == 1 ? SyncModel.insert(1) : Self.visit(sequence == other ? 7 : 10)
                return SyncModel.transaction(sequence, [change])
            }
        )
    }

    @Test(arguments: [false, true]) func segmentsThatOverlapCountOnce(isGreatFirst: Bool) async throws {
        let replica = try await start()
        let writer = LogsFolder.writer(1)
        var ranges: [ClosedRange<UInt64>] = [1...3, 1...5, 2...4, 4...7]
        if isGreatFirst { ranges.reverse() }
        for range in ranges {
            try logs.put(counted(writer, range))
            try await replica.service.importAll()
        }
        #expect(try replica.position(writer) == 7)
        try await expectEqual([replica], visits: 60)
    }

    @Test func otherContentIsToldWithBothFilesAndBlocksOnlyWhatFollows() async throws {
        let replica = try await start()
        let (writer, other) = (LogsFolder.writer(1), LogsFolder.writer(2))
        let applied = counted(writer, 1...3)
        try logs.put(applied)
        try await replica.service.importAll()
        let wrong = counted(writer, 2...4, other: 3)
        try logs.put(wrong)
        try logs.put(counted(writer, 5...5))
        try logs.hire(other, 1...1, base: 200)
        for (label, text) in [("A", applied), ("B", counted(writer, 1...3, other: 2))] {
            let stem = applied.name.fileName.dropLast(5)
            try logs.put(text.bytes(), at: "\(writer)/\(stem).sync-conflict-20240620-120000-\(label)BCDEFG.tlog")
        }
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 3 && replica.position(other) == 1)
        let status = try #require(try await replica.service.segment(wrong.name))
        #expect(status.state == .forked && status.reason.contains("transaction 3"))
        #expect(status.reason.contains(applied.name.path), "\(status.reason)")
        let forked = replica.service.state.read { $0.planner.statuses(wall: wall.now) }.filter { $0.state == .forked }
        #expect(forked.count == 2 && forked.contains { $0.file.contains("sync-conflict-20240620-120000-B") })
        try logs.put(counted(writer, 4...5))
        try await replica.service.importAll()
        #expect(try replica.position(writer) == 5 && Self.visits(replica) == .integer(40))
    }
}
