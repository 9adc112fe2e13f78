import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// The replicas and producers with all transactions that they have written, and the replicator between them.
package final class World {
    let schedule: Schedule
    private let folder: TemporaryFolder
    let clock = SimulatedClock()
    private(set) var replicas: [Replica]
    /// The writers of the replicas, followed by those of the producers.
    let writers: [UniqueID]
    var written: [[LogTransaction]]
    /// The segments of each writer, in order.
    private(set) var published: [[PublishedSegment]]
    /// The number of replicas that began with a baseline.
    private var joinedCount = 0

    init(_ schedule: Schedule) throws {
        self.schedule = schedule
        folder = try TemporaryFolder.inMemory("simulation")
        let model = try SimulationModel.model(isUnique: schedule.isUnique)
        var replicas: [Replica] = []
        for index in 0..<schedule.replicas {
            replicas.append(try Replica(index, model: model, folder: folder, clock: clock, seed: schedule.seed))
        }
        self.replicas = replicas
        let producers = (0..<schedule.producers).map { UniqueID(high: $0 == 0 ? 1 : .max, low: UInt64($0)) }
        writers = replicas.map(\.writer) + producers
        written = writers.map { _ in [] }
        published = writers.map { _ in [] }
    }

    /// Plays a schedule to its end, then delivers all transactions to all replicas and compares them.
    ///
    /// - Throws: ``Divergence`` when a replica breaks a promise, and what a store throws.
    package static func play(_ schedule: Schedule) async throws {
        let world = try World(schedule)
        defer { for replica in world.replicas { try? replica.close() } }
        for (index, step) in schedule.steps.enumerated() {
            do {
                try await world.perform(step)
            } catch {
                throw Divergence("step \(index), \(step):\n\(error)")
            }
        }
        try await world.settle()
        // Deferred writes are part of the state, so only stores with the same model can be equal.
        let versions = Set(world.replicas.map(\.model.version))
        if versions.count == 1 { try world.compare() }
        guard schedule.grows else { return }
        for replica in world.replicas where replica.model.version != "2" { try replica.grow() }
        try world.add(SimulationModel.grown(isUnique: schedule.isUnique))
        try await world.settle()
        try world.compare()
    }

    /// Adds a replica that has had its model from the beginning and receives all transactions last.
    private func add(_ model: Model) throws {
        replicas.append(try Replica(replicas.count, model: model, folder: folder, clock: clock, seed: schedule.seed))
    }

    /// A new replica that begins with a baseline.
    func newReplica(joining baseline: [String]) throws -> Replica {
        joinedCount += 1
        let replica = try Replica(100 + joinedCount, model: replicas[0].model, folder: folder, clock: clock)
        _ = try replica.join(baseline)
        return replica
    }

    // MARK: Transactions

    /// Collects what a replica has committed since the last call.
    func collect(from replica: Int) throws {
        let known = UInt64(written[replica].count)
        let found = try replicas[replica].transactions(after: known)
        guard found.enumerated().allSatisfy({ $1.header.sequence == known + UInt64($0) + 1 }) else {
            throw Divergence("replica \(replica) writes the sequences \(found.map(\.header.sequence)) after \(known)")
        }
        written[replica] += found
    }

    /// Collects what a replica has just committed, whose clocks are greater than all that it has applied.
    func collectNew(from replica: Int) throws {
        let known = written[replica].count
        try collect(from: replica)
        let positions = try replicas[replica].positions()
        let applied = zip(writers, written).compactMap { writer, transactions in
            writer == replicas[replica].writer
                ? nil : transactions.prefix(Int(positions[writer] ?? 0)).last?.header.clock
        }
        guard let greatest = applied.max() else { return }
        for transaction in written[replica].dropFirst(known) where transaction.header.clock <= greatest {
            let clock = transaction.header.clock
            throw Divergence("replica \(replica) writes at \(clock) after it has applied a transaction at \(greatest)")
        }
    }

    /// Collects the segments that a replica has written; those that are written again must have the same bytes.
    func collectSegments(from replica: Int) throws {
        let known = Dictionary(uniqueKeysWithValues: published[replica].map { ($0.name, $0.bytes) })
        for segment in try replicas[replica].folder.segments(of: replicas[replica].writer) {
            guard let before = known[segment.name] else {
                published[replica].append(segment)
                continue
            }
            guard before == segment.bytes else {
                throw Divergence("\(segment.name) was written again with other bytes")
            }
        }
    }

    /// Adds a segment with all transactions of a producer that are in none.
    func publish(producer index: Int) {
        let last = published[index].last?.name.last ?? 0
        let transactions = Array(written[index].dropFirst(Int(last)))
        guard !transactions.isEmpty else { return }
        let text = SegmentText(writer: writers[index], transactions)
        published[index].append(PublishedSegment(name: text.name, bytes: text.bytes()))
    }
}
