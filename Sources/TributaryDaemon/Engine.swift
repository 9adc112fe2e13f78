import Tributary
import TributaryChanges
import TributaryStore
import TributarySync

/// The open store with its container and its synchronization service.
final class Engine: Sendable {
    let container: PersistentContainer
    let sync: SyncService
    /// The writer of the store, whose history the tokens are about.
    let writer: String
    let file: StoreFile

    init(container: PersistentContainer, sync: SyncService) throws {
        self.container = container
        self.sync = sync
        file = StoreFile(path: container.store.configuration.path)
        writer = try container.store.read { try $0.writers.own() }.id.description
    }

    /// The newest transaction that the main context has merged, as a token.
    var token: HistoryToken { HistoryToken(store: writer, number: container.mainGeneration.number) }

    /// The current wall time.
    var wallTime: WallTime { container.store.configuration.environment.wallTime() }

    /// The time limit of a read for a client.
    static let readTimeout = Duration.seconds(10)

    let readLimiter = ReadLimiter()
    /// Limits reads for the status; separate from clients' reads, so that the status is available when these are at
    /// their limit.
    let statusReadLimiter = ReadLimiter(limit: Engine.statusReadLimit)

    /// The greatest number of reads for the status: more of them come only from programs that do not wait for the
    /// response.
    static let statusReadLimit = 16

    /// Reads at the main context's query generation, off the main actor.
    ///
    /// - Throws: ``ProblemDocument`` when too many reads wait already; what `body` throws.
    func read<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        try await readLimiter.run {
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
