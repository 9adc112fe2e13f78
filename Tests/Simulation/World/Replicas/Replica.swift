import Foundation
import SimulationRunning
package import TestSupport
import TransactionLog
package import TributaryChanges
package import TributaryModel
package import TributaryStore
import TributarySync

/// A store of the simulation with its own log folder and clock.
package final class Replica {
    package private(set) var model: Model
    private let slot: StoreSlot
    private var configuration: StoreConfiguration
    package private(set) var store: Store
    /// The store's own writer.
    package private(set) var writer: UniqueID
    /// The label of the store, and the one that it had when its own writer was looked at last.
    private(set) var label: UniqueID
    private(set) var formerLabel: UniqueID
    /// The writers in the store's outbox, with the number of transactions that have been looked at.
    private var drained: [UniqueID: UInt64] = [:]
    /// The segments that the store has written since it was another one.
    var written: [SegmentName: [UInt8]] = [:]
    /// The segments that were lost with its log folder.
    var lost: Set<PublishedSegment> = []
    private(set) var snapshot: ReplicaSnapshot?
    /// Whether the store has joined a baseline, which has no journal.
    var hasJoined = false
    /// Whether something has happened since the last fresh writer after which the store may go on as one.
    private var isInDoubt = false
    /// Whether the store may find that it is a copy.
    private var mayBeCopy = false
    /// The number of times that it was moved.
    private var moves = 0
    /// The number of backups that were restored.
    private var restorations: UInt64 = 0
    var folder: ReplicatedFolder
    private(set) var crashes: CrashPlan
    private(set) var settings: SyncConfiguration
    /// The numbers of the keys that its file of keys has.
    private(set) var keys: [Int] = []
    private let isTrusting: Bool
    /// Whether transactions that were never published may get other names: something else has the name of a segment, or
    /// an administrator gives them other clocks.
    var mayRename = false
    /// Whether a restart, the end of the program and a copy open the store anew, as in each second schedule.
    ///
    /// That takes longer than the rest. Otherwise only the sync begins anew, on the files of that moment.
    private let reopens: Bool
    /// Whether a machine ends with its programs, so that tokens are lost.
    private let losesTokens: Bool
    /// The folder of all replicas.
    private let world: TemporaryFolder
    /// The sync of the open store; nil until it is needed.
    var sync: SteppedSync?

    var clock: ReplicaEnvironment { slot.environment }

    /// Creates a replica with an empty store in the folder of all replicas.
    ///
    /// Its number decides how its clock and its settings differ from those of others, and so does the seed.
    package init(
        _ index: Int,
        model: Model,
        folder: TemporaryFolder,
        clock: SimulatedClock,
        seed: UInt64 = 0,
        traits: Set<Trait> = []
    ) throws {
        self.model = model
        isTrusting = traits.contains(.trusted)
        world = folder
        self.folder = try ReplicatedFolder(path: folder.path("logs-\(index)"))
        settings = SyncConfiguration(logs: folder.path("logs-\(index)"))
        settings.sliceChanges = [1, 4, 20_000][Int((seed &+ UInt64(index)) % 3)]
        settings.segmentBytes = [1, 600, 1 << 20][Int((seed / 3 &+ UInt64(index)) % 3)]
        settings.acknowledge = .seconds(1)
        settings.keepSegments = .seconds(Int(seed / 4 % 3) * 2)
        reopens = seed / 8 % 2 == 0
        losesTokens = seed % 3 == 0
        (slot, store) = try StoreSlot.take(index, model: model) { environment in
            environment.begin(clock, skew: index - 1, seed: UInt64(index) + 1_000)
            try environment.settle(on: "machine \(index)", folder.path("memory-\(index)"))
        }
        configuration = slot.configuration
        crashes = CrashPlan(path: configuration.path)
        writer = try store.read { try $0.writers.own().id }
        (label, formerLabel) = (writer, writer)
        if isTrusting {
            for suffix in ["-key", "-trust"] { unlink(configuration.path + suffix) }
            settings.trust.mode = .known
        }
    }

    // MARK: Opening

    package func restart() throws {
        if reopens { try reopen() } else { sync = nil }
    }

    private func reopen() throws {
        try close()
        store = try Store.open(configuration)
    }

    package func grow() throws {
        try takeGrownModel()
        try reopen()
    }

    private func takeGrownModel() throws {
        model = try SimulationModel.grown(isUnique: model.entities.contains { !$0.uniquenessConstraints.isEmpty })
        configuration.model = model
    }

    package func close() throws {
        sync = nil
        try store.close()
    }

    /// Gives the open store to the next schedule, unless its model has grown or it was moved.
    func finish() throws {
        guard !isMoved, model.versionHash == slot.configuration.model.versionHash else { return try close() }
        sync = nil
        // The next schedule has other machines.
        loseToken()
        slot.giveBack(store)
    }

    /// Ends without closing the store, and opens the files as they were at that moment.
    func crash(with image: StoreImage? = nil) throws {
        let image = try image ?? StoreImage(of: configuration.path)
        try replace(with: image, of: model)
    }

    /// Ends when a crash point was reached; returns whether it was.
    func endIfCrashed() throws -> Bool {
        guard let image = crashes.takeImage() else { return false }
        try crash(with: image)
        if losesTokens { loseToken() }
        return true
    }

    /// Loses the token, as the memory of a machine is lost.
    func loseToken() {
        isInDoubt = true
        if let token = clock.token(ofStoreAt: configuration.path) { unlink(token) }
    }

    func jump(_ seconds: Int) {
        isInDoubt = true
        clock.jump(seconds)
    }

    func heal() {
        isInDoubt = true
        clock.heal()
    }

    private var isMoved: Bool { configuration.path != slot.configuration.path }

    /// Gives the store the bytes of an image; one that may be another store's is opened.
    private func replace(with image: StoreImage, of former: Model, isForeign: Bool = false) throws {
        guard
            reopens || isMoved || isForeign || former.versionHash != store.model.versionHash
                || model.versionHash != store.model.versionHash
        else {
            sync = nil
            return try slot.restore(image, below: store)
        }
        try close()
        try image.restore(to: configuration.path)
        store = try Store.open(configuration)
    }

    /// Changes the settings, as a reload does.
    func reconfigure(_ change: (inout SyncConfiguration) -> Void) {
        change(&settings)
        sync?.service.reconfigure(settings)
    }

    func setKeys(_ numbers: [Int]) {
        keys = numbers
        reconfigure { $0.encryption = FleetKeys.keys(numbers) }
    }

    /// Whether its file of keys has the key of a file.
    func canRead(_ bytes: [UInt8]) -> Bool { (try? plain(bytes, settings.encryption)) != nil }

    /// The keys with which the store signs and that it trusts, from their files.
    func trust() throws -> StoreTrust {
        let trust = isTrusting ? try StoreTrust(of: store) : StoreTrust()
        trust.configure(settings.trust)
        return trust
    }

    /// Takes the files of another store's keys over, which an administrator copies with it; the key itself only with
    /// the whole disk.
    private func takeSecrets(from other: String, withKey: Bool) {
        guard isTrusting else { return }
        for suffix in ["-key", "-trust"] {
            unlink(configuration.path + suffix)
            guard withKey || suffix == "-trust" else { continue }
            try? FileManager.default.copyItem(atPath: other + suffix, toPath: configuration.path + suffix)
        }
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
            trust: try trust(),
            clock: StandingClock()
        ) { step in
            switch step {
            case .begun: try crashes.reach(.exportBegun)
            case .placed: try crashes.reach(.exportPlaced)
            }
        }
    }

    // MARK: Identity

    /// The writers whose transactions the store has committed itself, as far as they have been looked at.
    var writers: [UniqueID] { drained.keys.sorted() }

    /// Returns what has been committed since the last call, by whatever writers of the store.
    func drainCommitted() throws -> [(writer: WriterRecord, transactions: [LogTransaction])] {
        let (records, own, name) = try store.read { reader in
            (try reader.writers.all(), try reader.writers.own(), try reader.setting(IdentityKeys.label))
        }
        // A store leaves a writer whose clock is too far ahead.
        let isAhead = records.contains { $0.id == writer && $0.clock.isAhead(of: clock.time, by: .seconds(3600)) }
        if own.id != writer, isAhead { isInDoubt = true }
        (writer, label) = (own.id, name.flatMap { UniqueID($0) } ?? own.id)
        var found: [(writer: WriterRecord, transactions: [LogTransaction])] = []
        for record in records {
            let new = try transactions(after: drained[record.id] ?? 0, of: record.id)
            guard let last = new.last else { continue }
            drained[record.id] = last.header.sequence
            found.append((record, new))
        }
        return found
    }

    /// The last sequences of the store's own writers that are less than what has been looked at, for each such writer
    /// with what it goes on from: the transactions behind them have other names now.
    func takeRenamed() throws -> [(writer: UniqueID, sequence: UInt64)] {
        let records = try store.read { try $0.writers.all() }
        let sequences = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.sequence) })
        var found: [(writer: UniqueID, sequence: UInt64)] = []
        for (writer, count) in drained.sorted(by: { $0.key < $1.key }) {
            let sequence = sequences[writer] ?? 0
            guard sequence < count else { continue }
            guard mayRename else {
                let words = "\(writer) has lost its transactions after \(sequence)"
                throw Divergence("\(words), and nothing has happened to it")
            }
            // A writer that has published nothing is none of the store any more.
            drained[writer] = sequence > 0 ? sequence : nil
            found.append((writer, sequence))
        }
        if !found.isEmpty { isInDoubt = true }
        return found
    }

    /// The number of a writer's transactions that the store has committed, as far as they have been looked at.
    func committed(by writer: UniqueID) -> UInt64 { drained[writer] ?? 0 }

    /// What each writer of the store goes on from.
    func incarnations() throws -> [UniqueID: Incarnation] {
        let records = try store.read { try $0.writers.all() }
        let own = records.filter { drained[$0.id] != nil }
        return Dictionary(uniqueKeysWithValues: own.map { ($0.id, $0.incarnation) })
    }

    /// Gives the name of the next segment to something else; false when it is taken already.
    func squat(_ kind: ForeignFile) throws -> Bool {
        let name = try store.read { reader in
            guard let (writer, first) = try reader.outbox.unexported().first,
                let run = try reader.outbox.run(of: writer, from: first, bytes: settings.segmentBytes)
            else {
                let own = try reader.writers.own()
                return SegmentName(writer: own.id, first: own.sequence + 1, last: own.sequence + 1)
            }
            return SegmentName(writer: writer, first: run.lowerBound, last: run.upperBound)
        }
        guard try folder.squat(name, kind) else { return false }
        (mayRename, isInDoubt) = (true, true)
        return true
    }

    /// Notes that the store goes on as a fresh writer, or that it has found that it is a copy.
    func changeWriter(_ index: Int) throws {
        guard isInDoubt else {
            throw Divergence("replica \(index) goes on as \(writer), and nothing has happened to it")
        }
        guard label == formerLabel || mayBeCopy else {
            throw Divergence("replica \(index) takes itself for the store \(label), which was \(formerLabel)")
        }
        isInDoubt = clock.token(ofStoreAt: configuration.path).map { access($0, F_OK) != 0 } ?? true
        (mayBeCopy, formerLabel) = (false, label)
    }

    /// Forgets what the store has said, which is another one now, or an older one.
    private func forget() {
        (drained, written, isInDoubt) = ([:], [:], true)
        writer = (try? store.read { try $0.writers.own().id }) ?? writer
        label =
            (try? store.read { try $0.setting(IdentityKeys.label) }).flatMap { $0 }.flatMap { UniqueID($0) } ?? label
        formerLabel = label
    }

    /// Keeps a copy of the store, which is closed for it in schedules that open stores anew.
    func takeSnapshot() throws {
        let image = try image()
        let files = Set(folder.names())
        snapshot = ReplicaSnapshot(image: image, model: model, mayBeCopy: mayBeCopy, moves: moves, files: files)
    }

    private func image() throws -> StoreImage {
        guard reopens else { return try StoreImage(of: configuration.path) }
        try close()
        let image = try StoreImage(of: configuration.path, isClosed: true)
        store = try Store.open(configuration)
        return image
    }

    /// Puts an older copy of the store in its place; a backup is restored by the program, which records that.
    func restore(_ snapshot: ReplicaSnapshot, asBackup isBackup: Bool) throws {
        // Of two models the grown one: the older one could not open the store.
        if snapshot.model.versionHash != model.versionHash { try takeGrownModel() }
        try replace(with: isBackup ? adopted(snapshot.image) : snapshot.image, of: snapshot.model, isForeign: true)
        forget()
        mayBeCopy = mayBeCopy || snapshot.mayBeCopy || snapshot.moves != moves
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
    package func becomeCopy(of other: Replica, _ kind: CopyKind) throws {
        let image = try other.image()
        (model, configuration.model) = (other.model, other.model)
        loseToken()
        moves += 1
        switch kind {
        case .machine:
            try clock.settle(on: "machine \(slot.number) \(moves)", world.path("memory-\(slot.number)-\(moves)"))
        case .beside: try clock.settle(on: other.clock.machine, other.clock.tokens ?? "")
        case .unnoticed:
            let home = other.clock.home(other.configuration.path)
            try clock.settle(on: other.clock.machine, world.path("memory-\(slot.number)-\(moves)"), as: home)
        }
        takeSecrets(from: other.configuration.path, withKey: kind == .unnoticed)
        try replace(with: image, of: other.model, isForeign: true)
        loseToken()
        forget()
        (mayBeCopy, hasJoined) = (true, hasJoined || other.hasJoined)
    }

    /// Has the token that another replica's store has left, as a machine that was resumed twice from its memory.
    package func takeToken(of other: Replica) throws {
        guard let own = clock.token(ofStoreAt: configuration.path),
            let token = other.clock.token(ofStoreAt: other.configuration.path)
        else { throw Divergence("there is no token") }
        try String(contentsOfFile: token, encoding: .utf8).write(toFile: own, atomically: false, encoding: .utf8)
    }

    /// Goes on at another place in the folder of all replicas.
    func move(_ kind: Relocation, in folder: TemporaryFolder) throws {
        moves += 1
        if kind == .file || kind == .machine { (isInDoubt, mayBeCopy) = (true, mayBeCopy || kind == .machine) }
        switch kind {
        case .path, .file:
            let target = folder.path("moved-\(slot.number)-\(moves).sqlite")
            try close()
            let manager = FileManager.default
            if kind == .file { try manager.copyItem(atPath: configuration.path, toPath: target) }
            if kind == .path { try manager.moveItem(atPath: configuration.path, toPath: target) }
            if kind == .file { try manager.removeItem(atPath: configuration.path) }
            let former = configuration.path
            configuration.path = target
            takeSecrets(from: former, withKey: true)
            crashes = CrashPlan(path: target)
            store = try Store.open(configuration)
        case .folder:
            sync = nil
            try self.folder.move(to: folder.path("logs-\(slot.number)-\(moves)"))
            settings.logs = self.folder.path
        case .machine:
            try close()
            loseToken()
            try clock.settle(on: clock.machine + " new", folder.path("memory-\(slot.number)-\(moves)"))
            store = try Store.open(configuration)
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

    /// Saves changes; nil when the store refuses them, or when the program ends meanwhile.
    ///
    /// The result is the transaction in its exported form.
    package func save(_ changes: [Change], crash: CrashPoint? = nil) throws -> LogTransaction? {
        crashes.arm(crash)
        defer { crashes.arm(nil) }
        do {
            let committed = try store.write { transaction in
                let committed = try transaction.commit(LocalTransaction(changes: changes))
                try crashes.reach(.saveBeforeCommit)
                return committed
            } committed: { _, _ in
                try crashes.reach(.saveAfterCommit)
            }
            return try transactions(after: committed.sequence - 1, of: committed.writer).first
        } catch let error as StoreError {
            switch error {
            case .duplicateID, .sharesKey, .invalidChange: return nil
            default: throw error
            }
        } catch is CrashPlan.Crash {
            _ = try endIfCrashed()
            // The transaction had taken it.
            loseToken()
            return nil
        }
    }

    /// The transactions of a writer that the store has committed after a sequence, in their exported form.
    private func transactions(after sequence: UInt64, of writer: UniqueID) throws -> [LogTransaction] {
        var runs: [(first: UInt64, last: UInt64, lines: [UInt8])] = []
        try store.read { reader in
            try reader.outbox.localTransactions(of: writer, from: sequence + 1) { transaction in
                let next = transaction.sequence
                // What lies between was published and imported again.
                if runs.last?.last != next - 1 { runs.append((next, next, [])) }
                runs[runs.count - 1].last = next
                runs[runs.count - 1].lines += transaction.lines
                return true
            }
        }
        return try runs.flatMap { run in
            let text = String(decoding: run.lines, as: UTF8.self).split(separator: "\n").map(String.init)
            return try SegmentText(writer: writer, first: run.first, last: run.last, text).transactions()
        }
    }
}
