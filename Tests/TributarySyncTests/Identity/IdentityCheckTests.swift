import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A store that was moved keeps its writer; a copy gets another one, before anything is exported, and nothing is lost or
/// exported twice.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct IdentityCheckTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    /// A stopped store that has exported an employee and, without exporting them, saved others.
    private func makeStore(exported: UInt64 = 1, unexported: ClosedRange<UInt64>? = nil) async throws -> SyncReplica {
        let replica = try await SyncReplica(logs.path, wall: wall)
        for number in 1...exported { try replica.save([SyncModel.insert(number)]) }
        try await replica.stop()
        guard let unexported else { return replica }
        let offline = try await SyncReplica(
            logs.path,
            wall: wall,
            folder: replica.folder,
            configure: { $0.exports = false }
        )
        for number in unexported { try offline.save([SyncModel.insert(number)]) }
        try await offline.stop()
        return offline
    }

    private func copy(_ replica: SyncReplica) throws -> TemporaryFolder {
        let folder = try TemporaryFolder("copy")
        try FileManager.default.copyItem(
            atPath: replica.folder.path("store.sqlite"),
            toPath: folder.path("store.sqlite")
        )
        return folder
    }

    private func open(_ folder: TemporaryFolder) async throws -> SyncReplica {
        try await SyncReplica(logs.path, wall: wall, folder: folder)
    }

    private func digest(_ replica: SyncReplica) throws -> String {
        try replica.store.read { try $0.mergeState.digest().digest }
    }

    private func codes(_ replica: SyncReplica) -> [SyncProblem.Code] { replica.service.status.problems.map(\.code) }

    private func check(_ folder: TemporaryFolder, machine: String?, isGivenUp: Bool = false) throws -> UniqueID {
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "test",
            model: try SyncModel.make()
        )
        let store = try Store.open(configuration)
        defer { try? store.close() }
        let check = IdentityCheck(of: store, logs: logs.path, machine: machine, logger: JournalRecorder().logger)
        try check.run { isGivenUp }
        return try store.read { try $0.writers.own().id }
    }

    @Test func aMovedStoreIsTheWriterThatItWas() async throws {
        let replica = try await makeStore(unexported: 2...2)
        let folder = try TemporaryFolder("moved")
        for place in ["store.sqlite"] {
            try FileManager.default.moveItem(atPath: replica.folder.path(place), toPath: folder.path(place))
        }
        let moved = try await open(folder)
        _ = try await moved.service.sync()
        #expect(moved.service.ownWriter == replica.own && codes(moved).isEmpty)
        #expect(logs.segments(of: replica.own).last?.last == 2)
        try await moved.stop()
        let again = try await open(folder)
        #expect(again.service.ownWriter == replica.own)
        try await again.stop()
    }

    /// The original goes on beside its copy: both have the same unexported save.
    @Test func aCopyBesideItsOriginalIsAnotherWriter() async throws {
        let replica = try await makeStore(unexported: 2...2)
        let folder = try copy(replica)
        let copy = try await open(folder)
        _ = try await copy.service.sync()
        let writer = copy.service.ownWriter
        #expect(writer != replica.own && codes(copy) == [.writerChanged])
        let problem = try #require(copy.service.status.problems.first)
        #expect(problem.detail.contains(replica.folder.path("store.sqlite")) && problem.writer == replica.own)
        let original = try await open(replica.folder)
        #expect(original.service.ownWriter == replica.own)
        try original.save([SyncModel.insert(3)])
        try copy.save([SyncModel.insert(4)])
        for _ in 0..<2 {
            for replica in [original, copy] { _ = try await replica.service.sync() }
        }
        #expect(try digest(original) == digest(copy))
        #expect(try copy.employees(1...9) == [1, 2, 3, 4] && codes(original).isEmpty)
        try await original.stop()
        try await copy.stop()
        let again = try await open(folder)
        #expect(again.service.ownWriter == writer)
        try await again.stop()
    }

    @Test func aCopyWhoseOriginalIsGoneIsTheWriterThatItWas() async throws {
        let replica = try await makeStore(unexported: 2...2)
        let folder = try copy(replica)
        try FileManager.default.removeItem(atPath: replica.folder.path("store.sqlite"))
        let moved = try await open(folder)
        _ = try await moved.service.sync()
        #expect(moved.service.ownWriter == replica.own && codes(moved).isEmpty)
        try await moved.stop()
    }

    /// The original has exported more after the copy, one save of which the copy has too.
    @Test func anOlderCopyInItsPlaceImportsWhatTheOriginalHasExported() async throws {
        let replica = try await makeStore(unexported: 2...3)
        let folder = try copy(replica)
        let offline = try await SyncReplica(
            logs.path,
            wall: wall,
            folder: replica.folder,
            configure: { $0.exports = false }
        )
        try offline.save([SyncModel.insert(4)])
        try await offline.stop()
        let original = try await open(replica.folder)
        try await original.service.exportNow()
        let before = try digest(original)
        try await original.stop()
        try FileManager.default.removeItem(atPath: replica.folder.path("store.sqlite"))
        let copy = try await open(folder)
        #expect(copy.service.ownWriter != replica.own && codes(copy) == [.writerChanged])
        _ = try await copy.service.sync()
        // The folder has all of it, in a segment of which the copy has two transactions: nothing is issued again.
        #expect(try digest(copy) == before)
        #expect(try copy.position(replica.own) == 4 && copy.employees(1...9) == [1, 2, 3, 4])
        #expect(try copy.store.read { try $0.writers.own().sequence } == 0)
        #expect(logs.segments(of: replica.own).map(\.last) == [1, 4])
        try await copy.stop()
    }

    @Test func aStoreOnAnotherMachineIsAnotherWriter() async throws {
        let replica = try await makeStore()
        let folder = try copy(replica)
        try FileManager.default.removeItem(atPath: replica.folder.path("store.sqlite"))
        let own = try check(folder, machine: "one")
        // An unknown machine proves nothing, and a check that nobody waits for changes nothing.
        #expect(try check(folder, machine: nil) == own)
        #expect(throws: CancellationError.self) { try check(folder, machine: "two", isGivenUp: true) }
        #expect(try check(folder, machine: "one") == own)
        let writer = try check(folder, machine: "two")
        #expect(writer != own)
        #expect(try check(folder, machine: "two") == writer)
    }

    @Test func withoutTheFolderNothingIsDecided() async throws {
        let replica = try await makeStore()
        let folder = try copy(replica)
        let away = logs.folder.path("away")
        try FileManager.default.moveItem(atPath: logs.path, toPath: away)
        #expect(throws: SegmentError.self) { try check(folder, machine: "one") }
        let waiting = try await open(folder)
        #expect(waiting.service.ownWriter == replica.own)
        try FileManager.default.moveItem(atPath: away, toPath: logs.path)
        _ = try await waiting.service.sync()
        #expect(waiting.service.ownWriter != replica.own && codes(waiting).contains(.writerChanged))
        try await waiting.stop()
    }

    @Test func nothingIsExportedIntoAFolderThatHasNothingOfTheStore() async throws {
        let replica = try await makeStore()
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(replica.own)")
        let lost = try await open(replica.folder)
        await #expect(throws: ExportFailure.self) { try await lost.service.exportNow() }
        #expect(codes(lost) == [.logsMissing] && lost.service.ownWriter == replica.own)
        try await lost.stop()
    }
}
