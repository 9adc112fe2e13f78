import Synchronization
package import TestSupport
import TransactionLog
package import TributaryChanges
import TributaryMigration
package import TributaryModel
package import TributaryStore
import TributarySync

/// A store of the simulation with its own log folder and clock.
package final class Replica {
    package private(set) var model: Model
    private var configuration: StoreConfiguration
    package private(set) var store: Store
    package let writer: UniqueID
    let clock: SkewedClock
    var folder: ReplicatedFolder
    let crashes: CrashPlan
    /// The settings of its sync.
    private var settings: SyncConfiguration
    /// The sync of the open store; nil until it is needed.
    var sync: SteppedSync?

    /// Creates a replica with an empty store.
    ///
    /// - Parameters:
    ///   - index: its number, which decides how its clock and its settings differ from those of others.
    ///   - model: the model of the store.
    ///   - folder: the folder of all replicas.
    ///   - clock: the common clock.
    ///   - seed: decides about the settings too.
    /// - Throws: what opening the store throws.
    package init(_ index: Int, model: Model, folder: TemporaryFolder, clock: SimulatedClock, seed: UInt64 = 0) throws {
        self.model = model
        let random = Mutex(SeededGenerator(seed: UInt64(index) + 1_000))
        let skewed = SkewedClock(clock, skew: index - 1)
        self.clock = skewed
        configuration = StoreConfiguration(
            path: folder.path("replica-\(index).sqlite"),
            name: "replica-\(index)",
            model: model,
            environment: StoreEnvironment(
                wallTime: { skewed.time },
                random: { random.withLock { $0.next() } }
            )
        )
        self.folder = try ReplicatedFolder(path: folder.path("logs-\(index)"))
        settings = SyncConfiguration(logs: folder.path("logs-\(index)"))
        settings.sliceChanges = [1, 4, 20_000][Int((seed &+ UInt64(index)) % 3)]
        settings.segmentBytes = [1, 600, 1 << 20][Int((seed / 3 &+ UInt64(index)) % 3)]
        settings.acknowledge = .seconds(1)
        crashes = CrashPlan(path: configuration.path)
        try EmptyStores.make(configuration, index: index)
        store = try Store.open(configuration, migrator: Migrator())
        writer = try store.read { try $0.writers.own().id }
    }

    // MARK: Opening

    package func restart() throws {
        try close()
        store = try Store.open(configuration, migrator: Migrator())
    }

    package func grow() throws {
        model = try SimulationModel.grown(isUnique: model.entities.contains { !$0.uniquenessConstraints.isEmpty })
        configuration.model = model
        try restart()
    }

    package func close() throws {
        sync = nil
        try store.close()
    }

    /// Ends without closing the store, and opens the files as they were at that moment.
    func crash(with image: StoreImage? = nil) throws {
        let image = try image ?? StoreImage(of: configuration.path)
        try close()
        try image.restore(to: configuration.path)
        store = try Store.open(configuration, migrator: Migrator())
    }

    /// Removes the running sync, whose positions are not those of the store any more.
    func endSync() { sync = nil }

    /// The running sync; begins one when there is none.
    func runningSync() throws -> SteppedSync {
        if let sync { return sync }
        let crashes = crashes
        return try SteppedSync(
            replica: SteppedReplica(store: store, crashes: crashes),
            configuration: settings,
            clock: StandingClock()
        ) { step in
            switch step {
            case .begun: try crashes.reach(.exportBegun)
            case .placed: try crashes.reach(.exportPlaced)
            }
        }
    }

    // MARK: Transactions

    /// The last applied sequence of a writer.
    package func position(of writer: UniqueID) throws -> UInt64 {
        try store.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
    }

    /// The last applied sequence of each writer.
    func positions() throws -> [UniqueID: UInt64] {
        let writers = try store.read { try $0.writers.all() }
        return Dictionary(uniqueKeysWithValues: writers.map { ($0.id, $0.sequence) })
    }

    /// Saves changes; nil when the store refuses them.
    ///
    /// The result is the transaction in its exported form.
    package func save(_ changes: [Change]) throws -> LogTransaction? {
        do {
            let committed = try store.write { try $0.commit(LocalTransaction(changes: changes)) }
            return try transactions(after: committed.sequence - 1).first
        } catch let error as StoreError {
            switch error {
            case .duplicateID, .sharesKey, .invalidChange: return nil
            default: throw error
            }
        }
    }

    /// The replica's own transactions after a sequence, in their exported form.
    func transactions(after sequence: UInt64) throws -> [LogTransaction] {
        var lines: [UInt8] = []
        var last = sequence
        try store.read { reader in
            try reader.outbox.localTransactions(from: sequence + 1) { transaction in
                lines += transaction.lines
                last = transaction.sequence
                return true
            }
        }
        guard last > sequence else { return [] }
        let text = String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
        return try SegmentText(writer: writer, first: sequence + 1, last: last, text).transactions()
    }
}
