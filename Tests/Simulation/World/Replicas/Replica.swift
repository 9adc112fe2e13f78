import Foundation
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
    private let slot: StoreSlot
    private var configuration: StoreConfiguration
    package private(set) var store: Store
    /// The store's own writer, and what it has committed.
    package private(set) var writer: UniqueID
    var own: [LogTransaction] = []
    private(set) var snapshot: ReplicaSnapshot?
    /// Whether the store has joined a baseline, which has no journal.
    var hasJoined = false
    /// The number of times that it was moved.
    private var moves = 0
    /// The number of backups that were restored.
    private var restorations: UInt64 = 0
    /// The hash of the ID of its machine.
    private var machine: String
    var folder: ReplicatedFolder
    private(set) var crashes: CrashPlan
    /// The settings of its sync.
    private(set) var settings: SyncConfiguration
    /// Whether a restart, the end of the program and a copy open the store anew, as in each second schedule.
    ///
    /// That takes longer than the rest. Otherwise only the sync begins anew, on the files of that moment.
    private let reopens: Bool
    /// The sync of the open store; nil until it is needed.
    var sync: SteppedSync?

    var clock: ReplicaEnvironment { slot.environment }

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
        self.folder = try ReplicatedFolder(path: folder.path("logs-\(index)"))
        settings = SyncConfiguration(logs: folder.path("logs-\(index)"))
        settings.sliceChanges = [1, 4, 20_000][Int((seed &+ UInt64(index)) % 3)]
        settings.segmentBytes = [1, 600, 1 << 20][Int((seed / 3 &+ UInt64(index)) % 3)]
        settings.acknowledge = .seconds(1)
        settings.keepSegments = .seconds(Int(seed / 4 % 3) * 2)
        reopens = seed / 8 % 2 == 0
        machine = "machine \(index)"
        (slot, store) = try StoreSlot.take(index, model: model)
        slot.environment.begin(clock, skew: index - 1, seed: UInt64(index) + 1_000)
        configuration = slot.configuration
        crashes = CrashPlan(path: configuration.path)
        writer = try store.read { try $0.writers.own().id }
    }

    // MARK: Opening

    package func restart() throws {
        if reopens { try reopen() } else { sync = nil }
    }

    private func reopen() throws {
        try close()
        store = try Store.open(configuration, migrator: Migrator())
    }

    package func grow() throws {
        model = try SimulationModel.grown(isUnique: model.entities.contains { !$0.uniquenessConstraints.isEmpty })
        configuration.model = model
        try reopen()
    }

    package func close() throws {
        sync = nil
        try store.close()
    }

    /// Gives the open store to the next schedule, unless its model has grown or it was moved.
    func finish() throws {
        guard !isMoved, model.versionHash == slot.configuration.model.versionHash else { return try close() }
        sync = nil
        slot.giveBack(store)
    }

    /// Ends without closing the store, and opens the files as they were at that moment.
    func crash(with image: StoreImage? = nil) throws {
        let image = try image ?? StoreImage(of: configuration.path)
        try replace(with: image)
    }

    private var isMoved: Bool { configuration.path != slot.configuration.path }

    /// Gives the store the bytes of an image.
    private func replace(with image: StoreImage) throws {
        guard reopens || isMoved else {
            sync = nil
            return try slot.restore(image, below: store)
        }
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
            clock: StandingClock(),
            machine: machine
        ) { step in
            switch step {
            case .begun: try crashes.reach(.exportBegun)
            case .placed: try crashes.reach(.exportPlaced)
            }
        }
    }

    // MARK: Identity

    /// The writer that the store says it is.
    func storedWriter() throws -> UniqueID { try store.read { try $0.writers.own().id } }

    /// Notes that the store has become another writer, which has issued some transactions again.
    func become(_ writer: UniqueID, _ issued: [LogTransaction]) {
        self.writer = writer
        own = issued
    }

    /// Keeps a copy of the store, which is closed for it in schedules that open stores anew.
    func takeSnapshot() throws {
        let image = try image()
        let files = Set(try folder.ownSegments(of: writer).map(\.name))
        snapshot = ReplicaSnapshot(image: image, writer: writer, own: own, model: model, files: files)
    }

    private func image() throws -> StoreImage {
        guard reopens else { return try StoreImage(of: configuration.path) }
        try close()
        let image = try StoreImage(of: configuration.path, isClosed: true)
        store = try Store.open(configuration, migrator: Migrator())
        return image
    }

    /// Puts an older copy of the store in its place.
    ///
    /// - Parameters:
    ///   - snapshot: the copy.
    ///   - isBackup: whether the program restores it, and records that.
    /// - Throws: what opening the store throws.
    func restore(_ snapshot: ReplicaSnapshot, asBackup isBackup: Bool) throws {
        try replace(with: isBackup ? adopted(snapshot.image) : snapshot.image)
        (writer, own) = (snapshot.writer, snapshot.own)
    }

    /// A backup as the program leaves it that restores it.
    private func adopted(_ backup: StoreImage) throws -> StoreImage {
        restorations += 1
        let path = configuration.path + ".backup"
        defer { unlink(path) }
        try backup.restore(to: path)
        try RestoredStore(path: path).adopt(restoredAt: restorations, sha256: backup.sha256)
        return try StoreImage(of: path, isClosed: true)
    }

    /// Becomes a copy of another replica, at another path.
    func becomeCopy(of other: Replica, isSameMachine: Bool) throws {
        let image = try other.image()
        (model, configuration.model) = (other.model, other.model)
        try replace(with: image)
        (writer, own) = (other.writer, other.own)
        if isSameMachine { machine = other.machine }
        hasJoined = other.hasJoined
    }

    /// Goes on at another place.
    ///
    /// - Parameters:
    ///   - kind: what is another one.
    ///   - folder: the folder of all replicas.
    /// - Throws: what the file system and opening the store throw.
    func move(_ kind: Relocation, in folder: TemporaryFolder) throws {
        moves += 1
        switch kind {
        case .path, .file:
            let target = folder.path("moved-\(writer)-\(moves).sqlite")
            try close()
            let manager = FileManager.default
            if kind == .file { try manager.copyItem(atPath: configuration.path, toPath: target) }
            if kind == .path { try manager.moveItem(atPath: configuration.path, toPath: target) }
            if kind == .file { try manager.removeItem(atPath: configuration.path) }
            configuration.path = target
            crashes = CrashPlan(path: target)
            store = try Store.open(configuration, migrator: Migrator())
        case .folder:
            sync = nil
            try self.folder.move(to: folder.path("logs-\(writer)-\(moves)"))
            settings.logs = self.folder.path
        case .machine:
            sync = nil
            machine += " new"
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
        try transactions(after: sequence, of: writer)
    }

    func transactions(after sequence: UInt64, of writer: UniqueID) throws -> [LogTransaction] {
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
