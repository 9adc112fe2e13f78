import SimulationRunning
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// The replicas and producers with all transactions that they have committed, and the replicator between them.
///
/// A replica is a store, which is one writer after another.
package final class World {
    let schedule: Schedule
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    private(set) var replicas: [Replica]
    /// What each writer has committed and published: the producers first.
    var logs: [WriterLog]
    /// The writers on whose missing transactions some replica does not wait any more.
    var abandoned: Set<UniqueID> = []
    /// The replicas that were stolen: nobody takes anything more of them, and they have no part in the end.
    var retired: Set<Int> = []
    var fleetKeys = FleetKeys()
    /// The writers under whose names older transactions were issued again.
    private(set) var reissuing: Set<UniqueID> = []
    /// The number of replicas that began with what the log folders have.
    private var newCount = 0

    init(_ schedule: Schedule) throws {
        self.schedule = schedule
        folder = try TemporaryFolder.inMemory("simulation")
        let model = try SimulationModel.model(isUnique: schedule.isUnique)
        var replicas: [Replica] = []
        for index in 0..<schedule.replicas {
            replicas.append(
                try Replica(
                    index,
                    model: model,
                    folder: folder,
                    clock: clock,
                    seed: schedule.seed,
                    traits: schedule.traits
                )
            )
        }
        self.replicas = replicas
        logs = (0..<schedule.producers).map {
            WriterLog(writer: UniqueID(high: $0 == 0 ? 1 : .max, low: UInt64($0)))
        }
        try beginTraits()
    }

    /// Plays a schedule to its end, then delivers all transactions to all replicas and compares them.
    ///
    /// - Throws: ``Divergence`` when a replica breaks a promise, and what a store throws.
    package static func play(_ schedule: Schedule) async throws {
        let world = try World(schedule)
        do {
            try await world.playSteps()
        } catch {
            for replica in world.replicas { try? replica.close() }
            throw error
        }
        for replica in world.replicas { try replica.finish() }
    }

    private func playSteps() async throws {
        for (index, step) in schedule.steps.enumerated() {
            do {
                try await perform(step)
            } catch {
                throw Divergence("step \(index), \(step):\n\(error)")
            }
        }
        try await settle()
        // Deferred writes are part of the state, so only stores with the same model can be equal.
        let versions = Set(active.map(\.model.version))
        if versions.count == 1 { try await compare() }
        guard schedule.grows else { return }
        for replica in active where replica.model.version != "2" { try replica.grow() }
        // One that has had its model from the beginning receives all transactions last.
        let grown = try SimulationModel.grown(isUnique: schedule.isUnique)
        let last = try Replica(
            replicas.count,
            model: grown,
            folder: folder,
            clock: clock,
            seed: schedule.seed,
            traits: schedule.traits
        )
        try equip(last)
        replicas.append(last)
        try await settle()
        try await compare()
    }

    func newReplica() throws -> Replica {
        newCount += 1
        let model = active.first?.model ?? replicas[0].model
        let replica = try Replica(
            100 + newCount,
            model: model,
            folder: folder,
            clock: clock,
            traits: schedule.traits
        )
        try equip(replica)
        return replica
    }

    /// The replicas that take part in the end.
    var active: [Replica] { activeIndices.map { replicas[$0] } }

    var activeIndices: [Int] { replicas.indices.filter { !retired.contains($0) } }

    // MARK: Transactions

    func log(of writer: UniqueID) -> Int? { logs.firstIndex { $0.writer == writer } }

    /// The indexes of the logs of a replica's writers, or of a producer.
    func sources(_ number: Int) -> [Int] {
        number < schedule.replicas
            ? replicas[number].writers.compactMap { log(of: $0) } : [number - schedule.replicas]
    }

    /// The writer that has the number of a replica or a producer in the schedule.
    func writer(_ number: Int) -> UniqueID {
        number < schedule.replicas ? replicas[number].writer : logs[number - schedule.replicas].writer
    }

    /// Records what a replica has committed since the last call: one transaction of one writer has one content.
    func collect(from index: Int) throws {
        let replica = replicas[index]
        let known = replica.writer
        let withdrawn = try withdraw(from: replica)
        let hasRenamed = withdrawn != nil
        var renamed = withdrawn ?? []
        var new: [LogTransaction] = []
        for (record, transactions) in try replica.drainCommitted() {
            if hasRenamed { reissuing.insert(record.id) }
            if log(of: record.id) == nil { logs.append(WriterLog(writer: record.id, incarnation: record.incarnation)) }
            guard let log = log(of: record.id), logs[log].incarnation == record.incarnation else {
                throw Divergence("\(record.id) goes on from something else in replica \(index)")
            }
            for transaction in transactions {
                if transaction.header.sequence > logs[log].transactions.count { new.append(transaction) }
                if let reason = logs[log].commit(transaction) { throw Divergence("replica \(index): \(reason)") }
            }
        }
        if hasRenamed { reissuing.insert(replica.writer) }
        for changes in new.map(\.changes) {
            if let place = renamed.firstIndex(of: changes) { renamed.remove(at: place) }
        }
        guard renamed.isEmpty else {
            throw Divergence("replica \(index) has lost \(renamed) when its transactions got other names")
        }
        guard replica.writer != known || replica.label != replica.formerLabel else { return }
        try replica.changeWriter(index)
    }

    /// Forgets the names of transactions that have other names now; returns the changes of those whose names nobody has, and
    /// nil when none has another name.
    private func withdraw(from replica: Replica) throws -> [[Change]]? {
        let renamed = try replica.takeRenamed()
        guard !renamed.isEmpty else { return nil }
        Occurrences.note("transactions got other names")
        let incarnations = try replica.incarnations()
        var withdrawn: [[Change]] = []
        for (writer, sequence) in renamed {
            guard let log = log(of: writer) else { continue }
            // A copy of the store may still publish them under their former names.
            let others = replicas.filter { $0 !== replica }.map { $0.committed(by: writer) }.max() ?? 0
            guard UInt64(logs[log].published) <= max(sequence, others) else {
                throw Divergence("\(writer) \(sequence + 1) is published, and has another name now")
            }
            withdrawn += logs[log].withdraw(after: Int(max(sequence, others)), nil)
        }
        for (writer, incarnation) in incarnations {
            if let log = log(of: writer) { _ = logs[log].withdraw(after: .max, incarnation) }
        }
        return withdrawn
    }

    /// Records what a replica has just committed, whose clocks are greater than all that it has applied, without those that
    /// are too far ahead of its wall clock.
    func collectNew(from index: Int) throws {
        let (before, known) = (logs.map(\.transactions.count), reissuing)
        try collect(from: index)
        let positions = try replicas[index].positions()
        let limit = HybridClock.last(of: replicas[index].clock.time.later(by: .seconds(3600)))
        let applied = logs.enumerated().compactMap { place, log in
            let count = min(Int(positions[log.writer] ?? 0), place < before.count ? before[place] : 0)
            return log.transactions.prefix(count).last { $0.header.clock <= limit }?.header.clock
        }
        guard let greatest = applied.max() else { return }
        // Transactions that have just got other names keep their clocks.
        for (place, log) in logs.enumerated() where known.contains(log.writer) || !reissuing.contains(log.writer) {
            for transaction in log.transactions.dropFirst(place < before.count ? before[place] : 0)
            where transaction.header.clock <= greatest {
                throw Divergence(
                    "replica \(index) writes at \(transaction.header.clock) after it has applied a transaction at \(greatest)"
                )
            }
        }
    }

    /// Records the segments that a replica has written; those that it writes again must have the same bytes.
    func collectSegments(from index: Int) throws {
        let replica = replicas[index]
        for segment in try replica.folder.ownSegments() {
            guard let log = log(of: segment.name.writer) else {
                throw Divergence("nobody has committed anything of \(segment.name)")
            }
            // Of a file whose key is lost nothing more is heard.
            guard let content = fleetKeys.content(of: segment.bytes) else { continue }
            if let known = replica.written.updateValue(segment.bytes, forKey: segment.name) {
                guard fleetKeys.content(of: known).map({ $0 == content }) ?? true else {
                    throw Divergence("\(segment.name) was written again with other bytes")
                }
            } else {
                try replica.folder.setTime(replica.clock.time, of: segment.name.path)
            }
            if let reason = try logs[log].publish(segment, fleetKeys.readable) {
                throw Divergence("replica \(index): \(reason)")
            }
        }
    }
}
