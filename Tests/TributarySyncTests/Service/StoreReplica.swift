import Dispatch
import Logging
import Synchronization
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// A store without contexts: merging only advances the number of the transaction that counts as shown.
final class StoreReplica: LocalReplica {
    let store: Store
    private let shown: Mutex<Int64>
    let commitSignal = Signal()
    /// Called once, before the next import takes the write lock.
    let beforeImport = Mutex<(@Sendable () -> Void)?>(nil)

    init(store: Store) throws {
        self.store = store
        shown = Mutex(try store.read { try $0.history.newestTransaction() })
    }

    var shownTransaction: Int64 { shown.withLock(\.self) }

    func importTransactions<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        beforeImport.withLock { $0.take() }?()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .background).async { [store] in
                continuation.resume(with: Result { try store.write(body).0 })
            }
        }
    }

    func mergePendingChanges() async {
        guard let newest = try? store.read({ try $0.history.newestTransaction() }) else { return }
        shown.withLock { $0 = max($0, newest) }
    }

    /// Commits local changes and sends a hint about them, as contexts do.
    func commit(_ changes: [Change]) throws {
        _ = try store.write { try $0.commit(LocalTransaction(author: "test", changes: changes)) }
        commitSignal.raise()
    }
}

/// The model of the log folder's tests, and changes of its employees.
enum SyncModel {
    static func make(hasExternalPhotos: Bool = false) throws -> Model {
        let photo = "photo: {type: Binary, optional: true, external: \(hasExternalPhotos)}"
        return try Model(yaml: EmployeeModel.text(adding: photo))
    }

    /// Opens a store in a folder.
    static func open(
        in folder: TemporaryFolder,
        _ file: String = "store.sqlite",
        name: String = "test",
        wall: SyncWall = SyncWall(),
        model: Model? = nil
    ) throws -> Store {
        let environment = StoreEnvironment(
            wallTime: { wall.now },
            random: { .random(in: .min ... .max) },
            home: StoreEnvironment.system.home
        )
        let configuration = StoreConfiguration(
            path: folder.path(file),
            name: name,
            model: try model ?? make(),
            environment: environment
        )
        return try Store.open(configuration)
    }

    /// The service of a store, which does not run yet.
    static func service(of store: Store, logs: String) throws -> SyncService {
        try SyncService(
            replica: StoreReplica(store: store),
            configuration: SyncConfiguration(logs: logs),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// A transaction of another writer, a millisecond for each of its sequence after a time.
    static func transaction(
        _ sequence: UInt64,
        seen: [UniqueID: UInt64] = [:],
        at time: WallTime = SyncWall.start,
        _ changes: [Change]
    ) -> LogTransaction {
        let clock = HybridClock(time.later(by: .milliseconds(sequence)))
        let header = TransactionHeader(sequence: sequence, clock: clock, seen: seen, changeCount: changes.count)
        return LogTransaction(header: header, changes: changes)
    }

    static func insert(_ number: UInt64, name: String = "Ann") -> Change {
        Change(
            entity: "Employee",
            id: employee(number),
            operation: .insert([PropertyWrite(name: "name", value: .string(name))])
        )
    }

    static func update(_ number: UInt64, _ key: String, _ value: JSONValue) -> Change {
        Change(
            entity: "Employee",
            id: employee(number),
            operation: .update([PropertyWrite(name: key, value: value)])
        )
    }

    static func employee(_ number: UInt64) -> UniqueID { UniqueID(high: 0x0190_F1A2_0000_7000, low: 1 << 63 | number) }

    /// The numbers of the visible employees.
    static func employees(_ numbers: ClosedRange<UInt64>, in store: Store) throws -> [UInt64] {
        try store.read { reader in
            try numbers.filter { try reader.row(employee($0), rootEntity: "Employee") != nil }
        }
    }
}

/// A wall clock that a test moves.
final class SyncWall: Sendable {
    /// 2024-06-20.
    static let start: WallTime = 1_718_900_000_000
    private let milliseconds = Atomic<UInt64>(SyncWall.start.milliseconds + 1_000_000)

    var now: WallTime { WallTime(milliseconds: milliseconds.load(ordering: .relaxed)) }

    func advance(milliseconds count: UInt64) { milliseconds.add(count, ordering: .relaxed) }

    func setBack(milliseconds count: UInt64) { milliseconds.subtract(count, ordering: .relaxed) }
}

final class JournalRecorder: Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var message: String
        var values: [String: String]
    }

    private struct Handler: LogHandler {
        let recorder: JournalRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            let entry = Entry(level: event.level, message: "\(event.message)", values: values)
            recorder.recorded.withLock { $0.append(entry) }
        }
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }
}
