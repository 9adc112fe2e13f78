import Foundation
import Logging
import Synchronization
import TestSupport
import TestTraits
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// A store in its own folder, with the service that synchronizes it with a log folder.
final class SyncReplica: Sendable, EndingWithTest {
    let folder: TemporaryFolder
    let replica: StoreReplica
    let service: SyncService
    let own: UniqueID
    private let task: Task<Void, any Error>
    var store: Store { replica.store }

    /// Starts a replica, which stops when the test ends; `folder` restarts it on an existing store.
    ///
    /// `saved` is committed before the start. The service's first export is over then, and later ones happen only on
    /// request.
    init(
        _ logs: String,
        wall: SyncWall,
        folder: TemporaryFolder? = nil,
        saved: [Change] = [],
        name: String = "test",
        model: Model? = nil,
        hasExternalPhotos: Bool = false,
        signs: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        control: ImportControl = ImportControl(work: .standing),
        interruptExport: @escaping @Sendable (Exporter.Step) throws -> Void = { _ in },
        configure: (inout SyncConfiguration) -> Void = { _ in }
    ) async throws {
        let folder = try folder ?? TemporaryFolder("replica")
        self.folder = folder
        let model = try model ?? SyncModel.make(hasExternalPhotos: hasExternalPhotos)
        let store = try SyncModel.open(in: folder, name: name, wall: wall, model: model)
        if !saved.isEmpty { _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: saved)) } }
        let replica = try StoreReplica(store: store)
        self.replica = replica
        var configuration = SyncConfiguration(logs: logs)
        // Exports happen only when a test requests them: one has just been made, and the next is far in the future.
        configuration.exportDebounce = .seconds(3600)
        configure(&configuration)
        let service = try SyncService(
            replica: replica,
            configuration: configuration,
            trust: signs ? try StoreTrust(of: store) : StoreTrust(),
            clock: clock,
            logger: logger,
            control: control,
            exportWork: .standing,
            pacing: ExportPacing(lastExport: .zero),
            interruptExport: interruptExport
        )
        self.service = service
        own = try store.read { try $0.writers.own().id }
        // The task ends with `stop()`.
        task = Task { try await service.run() }
        PartsOfTest.current?.insert(self)
        await service.started()
        try await watched()
        for await _ in service.exports.firstExport.stream() {}
    }

    /// Stops the service gracefully and closes the store, before the end of the test.
    func stop() async throws {
        PartsOfTest.current?.remove(self)
        service.stop()
        try await task.value
        try store.close()
    }

    func end(afterFailure: Bool) async throws { try await stop() }

    @discardableResult
    func save(_ changes: [Change]) throws -> UInt64 {
        try store.write { try $0.commit(LocalTransaction(author: "test", changes: changes)) }.sequence
    }

    /// Returns when inotify notifies the service of changes.
    ///
    /// While other tests run, the service may have to wait for an inotify instance.
    private func watched() async throws {
        while service.status.problems.contains(where: { $0.code == .watchFailed }) { try await service.importAll() }
    }

    /// Synchronizes after `prepare`; the write lock is held until the call has begun, so that nothing is imported
    /// earlier.
    func sync(after prepare: () throws -> Void) async throws -> SyncResult {
        let (isHeld, begun) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        async let lock: Void = onThread { [store] in
            defer { begun.finish() }
            try store.holdingWriteLock { _ in
                begun.finish()
                release.wait()
            }
        }
        defer { release.signal() }
        for await _ in isHeld {}
        try prepare()
        let isOver = Atomic(false)
        async let result = {
            defer { isOver.store(true, ordering: .relaxed) }
            return try await service.sync()
        }()
        while service.state.read(\.lifecycle.requestCount) == 0, !isOver.load(ordering: .relaxed) { await Task.yield() }
        release.signal()
        try await lock
        return try await result
    }

    /// Checks the store and its log folder.
    func check(_ logs: String) async throws -> CheckReport {
        let check = StoreCheck(
            of: store,
            logs: logs,
            encryption: service.encryption,
            repairs: false,
            trust: service.trust,
            open: { try Store.open($0) },
            progress: { _, _, _ in }
        )
        return try await check.run()
    }

    /// Makes a copy of a closed store that nobody can tell from the original, as a snapshot of a whole machine is.
    static func clone(of folder: TemporaryFolder, model: Model) throws -> TemporaryFolder {
        let copied = try TemporaryFolder("replica")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(atPath: folder.path(file), toPath: copied.path(file))
        }
        let path = copied.path("store.sqlite")
        let store = try Store.open(StoreConfiguration(path: path, name: "test", model: model))
        try store.write { transaction in
            for key in [IdentityKeys.machine, IdentityKeys.store, IdentityKeys.logs] {
                try transaction.setSetting(key, to: nil)
            }
        }
        try store.close()
        return copied
    }

    func position(_ writer: UniqueID) throws -> UInt64 {
        try store.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
    }

    func employees(_ numbers: ClosedRange<UInt64>) throws -> [UInt64] {
        try SyncModel.employees(numbers, in: store)
    }

    func state(_ name: SegmentName) async throws -> SegmentState? { try await service.segment(name)?.state }

    /// Waits for a status of a segment that satisfies the condition.
    static func wait(
        _ events: AsyncStream<SegmentStatus>,
        until isEnough: (SegmentStatus) -> Bool
    ) async throws -> SegmentStatus {
        for await status in events where isEnough(status) { return status }
        throw SyncError.notRunning
    }
}

extension WorkMeter {
    /// A meter whose clock stands still, so that work on a loaded machine never counts as work that hangs.
    static var standing: WorkMeter { WorkMeter { .zero } }
}

extension ConcurrentTestLimit {
    fileprivate static let watchers = ConcurrentTestLimit(places: 16)
}

extension Trait where Self == ConcurrentTestLimit {
    /// Limits the number of tests that watch a log folder at one time: the system gives a user 128 inotify instances.
    static var watcherTurns: Self { .watchers }
}
