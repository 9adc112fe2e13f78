import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// The replicas and producers with all transactions that they have written, and the replicator between them.
package final class World {
    let schedule: Schedule
    let folder: TemporaryFolder
    let clock = SimulatedClock()
    private(set) var replicas: [Replica]
    /// The published transactions of each writer: first writers of the replicas, producers, later writers.
    var logs: [WriterLog]
    /// For each replica, the indexes of the logs of the writers that it has been.
    var lives: [[Int]]
    /// The writers on whose missing transactions some replica does not wait any more.
    var abandoned: Set<UniqueID> = []
    /// For each replica, the writers that it has evicted, with their positions then.
    var evictions: [Int: [UniqueID: UInt64]] = [:]
    /// The times of the replicas' clocks at which their segments came into their folders.
    var publishedAt: [SegmentName: WallTime] = [:]
    /// Whether a machine was set back with what it had published, so that a writer may have branches.
    var isForked = false
    /// The last transaction of each writer that has come with a baseline in a schedule with forks.
    var joinedThrough: [UniqueID: UInt64] = [:]
    var isSettled = false
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
        logs = (replicas.map(\.writer) + producers).map { WriterLog(writer: $0) }
        lives = (0..<schedule.replicas).map { [$0] }
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
        let versions = Set(replicas.map(\.model.version))
        if versions.count == 1 { try await compare() }
        guard schedule.grows else { return }
        for replica in replicas where replica.model.version != "2" { try replica.grow() }
        try add(SimulationModel.grown(isUnique: schedule.isUnique))
        try await settle()
        try await compare()
    }

    /// Adds a replica that has had its model from the beginning and receives all transactions last.
    private func add(_ model: Model) throws {
        replicas.append(try Replica(replicas.count, model: model, folder: folder, clock: clock, seed: schedule.seed))
    }

    func newReplica(joining baseline: [String]) throws -> Replica {
        let replica = try newReplica()
        _ = try replica.join(baseline)
        return replica
    }

    func newReplica() throws -> Replica {
        joinedCount += 1
        return try Replica(100 + joinedCount, model: replicas[0].model, folder: folder, clock: clock)
    }

    // MARK: Transactions

    func log(of writer: UniqueID) -> Int? { logs.firstIndex { $0.writer == writer } }

    /// The transactions that a replica has applied by now, by writer; its own ones are those that it has committed.
    func written(for replica: Replica) -> [(writer: UniqueID, transactions: [LogTransaction])] {
        let others = logs.filter { $0.writer != replica.writer }.map { ($0.writer, $0.transactions) }
        return others + [(replica.writer, replica.own)]
    }

    /// Collects what a replica has committed since the last call, and returns it; nothing of one that has become
    /// another writer.
    @discardableResult
    func collect(from index: Int) throws -> [LogTransaction] {
        let replica = replicas[index]
        let writer = try replica.storedWriter()
        guard writer == replica.writer else {
            try become(writer, index)
            return []
        }
        let known = UInt64(replica.own.count)
        let found = try replica.transactions(after: known)
        guard found.enumerated().allSatisfy({ $1.header.sequence == known + UInt64($0) + 1 }) else {
            throw Divergence("replica \(index) writes the sequences \(found.map(\.header.sequence)) after \(known)")
        }
        replica.own += found
        return found
    }

    /// Collects what a replica has just committed, whose clocks are greater than all that it has applied.
    func collectNew(from index: Int) throws {
        let found = try collect(from: index)
        // Which transactions of a forked writer are applied is not known.
        guard !found.isEmpty, !isForked else { return }
        let positions = try replicas[index].positions()
        let applied = logs.compactMap { log in
            log.writer == replicas[index].writer
                ? nil : log.transactions.prefix(Int(positions[log.writer] ?? 0)).last?.header.clock
        }
        guard let greatest = applied.max() else { return }
        for transaction in found where transaction.header.clock <= greatest {
            let clock = transaction.header.clock
            throw Divergence("replica \(index) writes at \(clock) after it has applied a transaction at \(greatest)")
        }
    }

    /// Collects the segments that a replica has written; those that are written again must have the same bytes.
    func collectSegments(from index: Int) throws {
        let replica = replicas[index]
        guard let log = log(of: replica.writer) else { return }
        let known = Dictionary(uniqueKeysWithValues: logs[log].segments.map { ($0.name, $0.bytes) })
        for segment in try replica.folder.ownSegments(of: replica.writer) {
            let (first, last) = (Int(segment.name.first), Int(segment.name.last))
            if known[segment.name] == segment.bytes {
                logs[log].lost.remove(segment.name)
                continue
            }
            if isForked {
                guard last <= replica.own.count else { throw Divergence("nobody has written all of \(segment.name)") }
                if !logs[log].has(segment) { logs[log].add(segment, endOf: replica.own[..<last]) }
                continue
            }
            guard known[segment.name] == nil else {
                throw Divergence("\(segment.name) was written again with other bytes")
            }
            guard !logs[log].removed.contains(segment.name), first == logs[log].transactions.count + 1,
                last <= replica.own.count
            else {
                throw Divergence("replica \(index) has written \(segment.name), which is not its next segment")
            }
            logs[log].add(segment, replica.own[(first - 1)...(last - 1)])
            guard schedule.compacts else { continue }
            publishedAt[segment.name] = replica.clock.time
            try replica.folder.setTime(replica.clock.time, of: segment.name)
        }
    }
}
