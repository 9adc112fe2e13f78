import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryMigration
import TributaryStore

@testable import TributarySync

/// Copies of a store that has never been synchronized are other writers: a new store knows its home.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct FirstCopyTests {
    private let logs: LogsFolder
    private let wall = SyncWall()

    init() throws { logs = try LogsFolder() }

    private func open(_ folder: TemporaryFolder) throws -> Store {
        var environment = StoreEnvironment.system
        environment.wallTime = { [wall] in wall.now }
        let model = try SyncModel.make()
        let path = folder.path("store.sqlite")
        return try Store.open(
            StoreConfiguration(path: path, name: "test", model: model, environment: environment),
            migrator: Migrator()
        )
    }

    /// A closed store with one save that no service has seen, and its writer.
    private func makeStore(knowsHome: Bool = true) throws -> (folder: TemporaryFolder, writer: UniqueID) {
        let folder = try TemporaryFolder("new")
        let store = try open(folder)
        defer { try? store.close() }
        try store.write { transaction in
            _ = try transaction.commit(LocalTransaction(author: "test", changes: [SyncModel.insert(1)]))
            guard !knowsHome else { return }
            for key in [IdentityKeys.machine, IdentityKeys.store] { try transaction.setSetting(key, to: nil) }
        }
        return (folder, try store.read { try $0.writers.own().id })
    }

    private func copy(_ original: TemporaryFolder) throws -> TemporaryFolder {
        let folder = try TemporaryFolder("copy")
        let paths = (original.path("store.sqlite"), folder.path("store.sqlite"))
        try FileManager.default.copyItem(atPath: paths.0, toPath: paths.1)
        return folder
    }

    private func start(_ folder: TemporaryFolder) async throws -> SyncReplica {
        try await SyncReplica(logs.path, wall: wall, folder: folder)
    }

    private func codes(_ replica: SyncReplica) -> [SyncProblem.Code] { replica.service.status.problems.map(\.code) }

    /// Saves on each replica, exchanges, and expects equal states with the first save and these.
    private func expectConvergence(_ replicas: [SyncReplica]) async throws {
        for (number, replica) in zip(UInt64(2)..., replicas) { try replica.save([SyncModel.insert(number)]) }
        for _ in 0..<2 {
            for replica in replicas { _ = try await replica.service.sync() }
        }
        let digests = try replicas.map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(Set(digests).count == 1)
        for replica in replicas {
            #expect(try replica.employees(1...9) == Array(1...UInt64(replicas.count + 1)))
            #expect(!codes(replica).contains(.ownFork) && !codes(replica).contains(.writerForked))
        }
    }

    @Test func aCopyBesideItsOriginalIsAnotherWriter() async throws {
        let (folder, writer) = try makeStore()
        let copied = try copy(folder)
        let replicas = [try await start(folder), try await start(copied)]
        for replica in replicas { _ = try await replica.service.sync() }
        #expect(replicas[0].service.ownWriter == writer && codes(replicas[0]).isEmpty)
        #expect(replicas[1].service.ownWriter != writer && codes(replicas[1]) == [.writerChanged])
        try await expectConvergence(replicas)
        for replica in replicas { try await replica.stop() }
    }

    /// A template that is removed after it was copied leaves nothing that its copies could be compared with.
    @Test func copiesOfARemovedOriginalAreTwoWriters() async throws {
        let (folder, writer) = try makeStore()
        let folders = [try copy(folder), try copy(folder)]
        try FileManager.default.removeItem(atPath: folder.path("store.sqlite"))
        var replicas: [SyncReplica] = []
        for folder in folders { replicas.append(try await start(folder)) }
        for replica in replicas { _ = try await replica.service.sync() }
        let writers = Set(replicas.map(\.service.ownWriter))
        #expect(writers.count == 2 && !writers.contains(writer))
        // Nobody has known the former writer, so that nobody needs to be told.
        #expect(replicas.allSatisfy { codes($0).isEmpty })
        try await expectConvergence(replicas)
        for replica in replicas { try await replica.stop() }
    }

    @Test func aStoreThatWasMovedByItsNameIsTheWriterThatItWas() async throws {
        let (folder, writer) = try makeStore()
        let moved = try TemporaryFolder("moved")
        let paths = (folder.path("store.sqlite"), moved.path("store.sqlite"))
        try FileManager.default.moveItem(atPath: paths.0, toPath: paths.1)
        let replica = try await start(moved)
        _ = try await replica.service.sync()
        #expect(replica.service.ownWriter == writer && codes(replica).isEmpty)
        try await replica.stop()
        // The home has the birth time of the file from now on, which changes nothing.
        let again = try await start(moved)
        #expect(again.service.ownWriter == writer && codes(again).isEmpty)
        try await again.stop()
    }

    /// An image of a machine with a store that was never in use is brought to many machines.
    @Test func aStoreThatComesToAnotherMachineFirstIsAnotherWriter() throws {
        let (folder, writer) = try makeStore()
        try #require(MachineID.current != nil)
        let store = try open(folder)
        defer { try? store.close() }
        func check(_ machine: String?) throws -> UniqueID {
            let logger = JournalRecorder().logger
            try IdentityCheck(of: store, logs: logs.path, machine: machine, logger: logger).run()
            return try store.read { try $0.writers.own().id }
        }
        #expect(try check(MachineID.current) == writer)
        #expect(try check("another one") != writer)
    }

    /// A store of an earlier version records no home when it is created; the first start does, also without the folder.
    @Test func aStoreWithoutAHomeGetsOneBeforeTheFolderIsThere() async throws {
        let (folder, writer) = try makeStore(knowsHome: false)
        let away = logs.folder.path("away")
        try FileManager.default.moveItem(atPath: logs.path, toPath: away)
        let waiting = try await start(folder)
        await #expect(throws: (any Error).self) { try await waiting.service.exportNow() }
        #expect(waiting.service.ownWriter == writer)
        try await waiting.stop()
        let copied = try copy(folder)
        try FileManager.default.moveItem(atPath: away, toPath: logs.path)
        let replicas = [try await start(folder), try await start(copied)]
        for replica in replicas { _ = try await replica.service.sync() }
        #expect(replicas[0].service.ownWriter == writer && codes(replicas[0]).isEmpty)
        #expect(replicas[1].service.ownWriter != writer)
        try await expectConvergence(replicas)
        for replica in replicas { try await replica.stop() }
    }

    /// Stores that nobody copies, such as those in memory and those that a check builds, record no home.
    @Test func scratchStoresHaveNoHome() throws {
        let folder = try TemporaryFolder("scratch")
        var configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "test",
            model: try SyncModel.make()
        )
        configuration.isScratch = true
        let store = try Store.open(configuration)
        #expect(try store.read { try StoreHome($0) } == nil)
        try store.close()
        let keptFolder = try TemporaryFolder("kept")
        let kept = try open(keptFolder)
        let home = try #require(try kept.read { try StoreHome($0) })
        #expect(home.store.path == kept.configuration.path && home.machine == MachineID.current && home.logs == nil)
        #expect(home.store.mark.isSame(as: try #require(FileMark(ofFile: home.store.path))))
        try kept.close()
    }
}
