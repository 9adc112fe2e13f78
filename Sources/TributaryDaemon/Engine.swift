import Tributary
import TributaryChanges
import TributaryStore
import TributarySync

/// The open store and what works on it.
final class Engine: Sendable {
    let container: PersistentContainer
    let sync: SyncService
    /// The store's own writer, which tokens are for.
    let writer: String
    let file: StoreFile

    init(container: PersistentContainer, sync: SyncService) throws {
        self.container = container
        self.sync = sync
        file = StoreFile(path: container.store.configuration.path)
        writer = try container.store.read { try $0.writers.own() }.id.description
    }

    /// The newest transaction that the main context shows, as a token.
    var token: HistoryToken { HistoryToken(store: writer, number: container.mainGeneration.number) }

    /// Unix seconds of the machine's clock.
    var wallSeconds: Double { Double(container.store.configuration.environment.wallMilliseconds()) / 1_000 }

    /// How long a read for a client may take.
    static let readTimeout = Duration.seconds(10)

    let readingRoom = ReadingRoom()
    /// Apart from clients' reads, so that the status answers when those take all places.
    let statusRoom = ReadingRoom(most: Engine.mostStatusReads)

    /// How many reads for the status may be under way or wait at one time: one that is asked more often is asked by
    /// programs that do not wait for its answer.
    static let mostStatusReads = 16

    /// Reads at the main context's generation, off the main actor.
    ///
    /// - Throws: ``ProblemDocument`` when too many wait already; what reading throws.
    func read<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        try await readingRoom.admit {
            try await container.mainGeneration.readInTurn(timeout: Engine.readTimeout, body)
        }
    }

    /// Reads for the status, which does not wait for readers that are busy.
    ///
    /// Nil when there is no answer within a second, or when too many of such reads wait already.
    func readSoon<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async -> T? {
        try? await statusRoom.admit {
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
