import Synchronization
import Tributary
import TributaryChanges
import TributaryMigration
import TributaryStore
import TributarySync

/// The open store with its container and its synchronization service.
final class Engine: Sendable {
    let container: PersistentContainer
    let sync: SyncService
    let compactor: Compactor
    var writer: String { sync.ownWriter.description }
    /// The history that tokens name: a store that was set back, or a copy, has another one since it was opened.
    let historyName: String
    let file: StoreFile
    private let isInitialImportShown = Atomic(false)

    init(container: PersistentContainer, sync: SyncService) throws {
        self.container = container
        self.sync = sync
        compactor = Compactor(sync: sync) { try Store.open($0, migrator: Migrator()) }
        file = StoreFile(path: container.store.configuration.path)
        historyName = try container.store.read { try $0.history.name() }
    }

    /// The newest transaction that the main context has merged, as a token.
    var token: HistoryToken { HistoryToken(store: historyName, number: container.mainGeneration.number) }

    /// Whether the initial import is complete, and reads at the main context's query generation find it.
    var showsInitialImport: Bool { isInitialImportShown.load(ordering: .acquiring) }

    /// Waits for the initial import, and has the main context merge it: who waits for the import reads it next.
    ///
    /// Returns early when the task is cancelled.
    func waitForInitialImport() async {
        await sync.waitForInitialImport()
        guard !Task.isCancelled, !showsInitialImport else { return }
        await container.mergePendingChanges()
        isInitialImportShown.store(true, ordering: .releasing)
    }

    var wallTime: WallTime { container.store.configuration.environment.wallTime() }

    static let readTimeout = Duration.seconds(10)

    let readLimiter = ReadLimiter()
    let changeTexts = ChangeTexts()
    /// Limits reads for the status; separate from clients' reads, so that the status is available when these are at
    /// their limit.
    let statusReadLimiter = ReadLimiter(limit: Engine.statusReadLimit)

    /// The greatest number of reads for the status: more of them come only from programs that do not wait for the
    /// response.
    static let statusReadLimit = 16

    /// Reads at the main context's query generation, off the main actor; `body` may run twice.
    func read<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        try await readLimiter.runInTurn { [container] in
            try await container.mainGeneration.readInTurn(timeout: Engine.readTimeout, body)
        }
    }

    /// Reads for the status, without waiting for busy readers.
    ///
    /// Nil when there is no result within a second, or when too many such reads wait already.
    func readSoon<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async -> T? {
        try? await statusReadLimiter.run {
            await withTaskGroup(of: T?.self) { group in
                group.addTask { try? await self.container.mainGeneration.readInTurn(body) }
                group.addTask {
                    try? await Task.sleep(for: .seconds(1))
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }
    }
}
