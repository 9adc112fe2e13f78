import Foundation
import Logging
import NIOPosix
import Synchronization
import TransactionLog
package import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

final class Engine: Sendable {
    let container: PersistentContainer
    let sync: SyncService
    let compactor: Compactor
    let scans: ScanRequests
    var writer: String { sync.ownWriter.description }
    /// The history that tokens name; a store that was set back, and a copy, gets another history when it is opened.
    let historyName: String
    let file: StoreFile
    let writerWatch = WriterWatch()
    var folderSize: FolderSize { sync.folderSize }
    let disks: DiskWatch
    /// The newest transaction that the main context showed when the daemon started.
    let firstShown: Int64
    private let isInitialImportShown = Atomic(false)

    init(container: PersistentContainer, sync: SyncService, scans: ScanRequests) throws {
        self.scans = scans
        self.container = container
        self.sync = sync
        compactor = Compactor(sync: sync)
        disks = DiskWatch(store: container.store.configuration.path.folder, logs: sync.logs)
        file = StoreFile(path: container.store.configuration.path)
        firstShown = container.mainGeneration.number
        historyName = try container.store.read { try $0.history.name() }
    }

    var token: HistoryToken { HistoryToken(store: historyName, number: container.mainGeneration.number) }

    var showsInitialImport: Bool { isInitialImportShown.load(ordering: .acquiring) }

    /// The main context merges the import, because callers read it next; returns early when the task is cancelled.
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
    /// Separate from clients' reads, so that the status is available when these are at their limit.
    let statusReadLimiter = ReadLimiter(limit: Engine.statusReadLimit)

    /// Only programs that do not wait for the response cause more reads.
    static let statusReadLimit = 16

    /// Reads at the main context's query generation, off the main actor; `body` may run twice.
    func read<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
        try await readLimiter.runAsync { [container] in
            try await container.mainGeneration.readAsync(timeout: Engine.readTimeout, body)
        }
    }

    /// Reads the newest state: the main context's generation may be older; nil without a result within a second.
    func readSoon<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async -> T? {
        try? await statusReadLimiter.run {
            await withTaskGroup(of: T?.self) { group in
                group.addTask { try? await self.container.store.readAside(body) }
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

/// The sync does not know contexts: it imports through the container, which merges into the main context.
extension PersistentContainer: LocalReplica {
    package var shownTransaction: Int64 { mainGeneration.number }
}

extension Engine {
    static func open(
        _ configuration: Configuration,
        model: Model,
        migration: MigrationSettings,
        logger: Logger
    ) async throws -> Engine {
        let store = try await NIOThreadPool.singleton.runIfActive {
            try StartFailure.naming(configuration.store) {
                let restoration = StoreRestoration(store: configuration.store, logger: logger)
                try restoration.complete()
                var settings = StoreConfiguration(path: configuration.store, name: configuration.name, model: model)
                settings.trustsReboot = configuration.reboot == .trust
                settings.formerVersions = restoration.formerVersions(except: model)
                settings.formerVersions.warn(logger)
                let store = try Store.open(settings, migrator: Migrator(migration))
                restoration.end()
                return store
            }
        }
        let container: PersistentContainer
        do {
            container = try await PersistentContainer(store: store, merging: configuration.merge)
        } catch let error as ContextError {
            if case .derivations = error {
                let reason = "the model '\(configuration.model ?? "")' cannot be used: \(error)"
                throw StartFailure(reason, status: .badConfiguration)
            }
            throw error
        }
        let trust: StoreTrust
        do {
            trust = try StoreTrust(of: store, logger: logger)
        } catch let error as StoreError {
            throw StartFailure(error, store: configuration.store)
        } catch {
            let words = "the keys of the store '\(configuration.store)' cannot be used: \(error)"
            let status = ExitStatus(passing: (error as? KeyFileError)?.code)
            throw StartFailure(words, status: status ?? .badConfiguration)
        }
        let environment = container.store.configuration.environment
        let scans = ScanRequests(configuration.replicator, wall: { environment.wallTime() }, logger: logger)
        let sync = try SyncService(
            replica: container,
            configuration: configuration.syncWithKeys,
            trust: trust,
            logger: logger,
            published: { scans.published(by: $0) }
        )
        return try Engine(container: container, sync: sync, scans: scans)
    }

    func reconfigure(_ configuration: Configuration) {
        container.setMergeOptions(configuration.merge)
        sync.reconfigure(configuration.syncWithKeys)
        scans.configure(configuration.replicator, own: sync.ownWriter)
    }
}

extension ModelVersions {
    func warn(_ logger: Logger) {
        onFailure { reason in
            let words = "A former version of the model cannot be read; writes under names of its own may be deferred"
            logger.warning("\(words)", metadata: ["reason": "\(reason)"])
        }
    }
}

/// Notices that the store's file was removed: SQLite continues to write into it, and the data is lost at the end.
struct StoreFile: Sendable {
    let path: String
    /// Device and inode of the opened file.
    private let opened: [Int]?

    init(path: String) {
        self.path = path
        opened = Self.identity(of: path)
    }

    var isGone: Bool { Self.identity(of: path) != opened }

    private static func identity(of path: String) -> [Int]? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        return attributes.map { attributes in
            [FileAttributeKey.systemNumber, .systemFileNumber].compactMap { (attributes[$0] as? NSNumber)?.intValue }
        }
    }
}
