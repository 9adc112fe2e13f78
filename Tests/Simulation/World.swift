import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// The replicas and producers with all transactions that they have written.
final class World {
    /// A difference that must not occur.
    struct Divergence: Error, CustomStringConvertible {
        var description: String
    }

    private let folder: TemporaryFolder
    private let clock = SimulatedClock()
    private var replicas: [Replica]
    /// The writers of the replicas, followed by those of the producers.
    private let writers: [UniqueID]
    private var written: [[LogTransaction]]
    /// The number of replicas that began with a baseline.
    private var joinedCount = 0

    init(_ schedule: Schedule) throws {
        folder = try TemporaryFolder.inMemory("simulation")
        let model = try SimulationModel.model(isUnique: schedule.isUnique)
        var replicas: [Replica] = []
        for index in 0..<schedule.replicas {
            replicas.append(try Replica(index, model: model, folder: folder, clock: clock))
        }
        self.replicas = replicas
        let producers = (0..<schedule.producers).map { UniqueID(high: $0 == 0 ? 1 : .max, low: UInt64($0)) }
        writers = replicas.map(\.writer) + producers
        written = writers.map { _ in [] }
    }

    /// Plays a schedule to its end, then delivers all transactions to all replicas and compares them.
    static func play(_ schedule: Schedule) throws {
        let world = try World(schedule)
        for (index, step) in schedule.steps.enumerated() {
            do {
                try world.perform(step, replicaCount: schedule.replicas)
            } catch {
                throw Divergence(description: "step \(index): \(error)")
            }
        }
        try world.settle()
        // Deferred writes are part of the state, so only stores with the same model can be equal.
        if Set(world.replicas.map(\.model.version)).count == 1 { try world.compare() }
        for replica in world.replicas where replica.model.version != "2" { try replica.grow() }
        try world.add(SimulationModel.grown(isUnique: schedule.isUnique))
        try world.settle()
        try world.compare()
        for replica in world.replicas { try replica.close() }
    }

    /// Adds a replica that has had its model from the beginning and receives all transactions last.
    private func add(_ model: Model) throws {
        let index = replicas.count
        replicas.append(try Replica(index, model: model, folder: folder, clock: clock))
    }

    private func perform(_ step: Step, replicaCount: Int) throws {
        switch step {
        case .save(let replica, let changes):
            if let transaction = try replicas[replica].save(changes) {
                guard transaction.header.sequence == UInt64(written[replica].count) + 1 else {
                    throw Divergence(description: "the sequence is \(transaction.header.sequence)")
                }
                written[replica].append(transaction)
            }
        case .produce(let producer, let skew, let changes): produce(replicaCount + producer, skew, changes)
        case .deliver(let writer, let to, let overlap, let count, let piece, let slice):
            guard writer != to else { return }
            let known = Int(try replicas[to].position(of: writers[writer]))
            let first = max(0, known - overlap)
            let transactions = Array(written[writer].dropFirst(first).prefix(count))
            guard !transactions.isEmpty else { return }
            let text = SegmentText(writer: writers[writer], transactions)
            try replicas[to].take(text, piece: piece, slice: slice)
        case .abort(let writer, let to, let count, let piece, let after):
            guard writer != to else { return }
            let known = Int(try replicas[to].position(of: writers[writer]))
            let transactions = Array(written[writer].dropFirst(known).prefix(count))
            guard !transactions.isEmpty else { return }
            let text = SegmentText(writer: writers[writer], transactions)
            do {
                try replicas[to].take(text, piece: piece, slice: 100, abortAfter: after)
            } catch is Replica.Aborted {
                try check(replicas[to], "replica \(to) after an import was rolled back")
            }
        case .restart(let replica): try replicas[replica].restart()
        case .grow(let replica):
            try replicas[replica].grow()
            try check(replicas[replica], "replica \(replica) with a grown model")
        case .join(let from, let to): try join(from: from, to: to)
        case .tick: clock.tick()
        case .check(let replica): try check(replicas[replica], "replica \(replica)")
        }
    }

    /// Lets a replica join the baseline of another one, which may know more of some writers and less of others.
    private func join(from: Int, to: Int) throws {
        guard from != to, replicas[from].model.version == replicas[to].model.version else { return }
        let baseline = try replicas[from].baseline()
        _ = try replicas[to].join(baseline)
        try check(replicas[to], "replica \(to) after it joined the baseline of replica \(from)")
        try demandNoEffect(baseline, on: replicas[to])
    }

    /// Joins a baseline of which the replica has everything.
    private func demandNoEffect(_ baseline: [String], on replica: Replica) throws {
        let (dump, newest) = (try replica.dump(), try replica.newestTransaction())
        let joined = try replica.join(baseline)
        guard joined == nil, try replica.newestTransaction() == newest, try replica.dump() == dump else {
            throw Divergence(description: "joining a baseline twice has an effect")
        }
    }

    /// A new replica that begins with the baseline has the state of the others.
    private func compareJoined(_ baseline: [String], dump: String) throws {
        let model = replicas[0].model
        joinedCount += 1
        let replica = try Replica(100 + joinedCount, model: model, folder: folder, clock: clock)
        defer { try? replica.close() }
        _ = try replica.join(baseline)
        try check(replica, "a new replica that joined the baseline")
        try World.demandEqual(
            dump.split(separator: "\n").map(String.init),
            try replica.dump().split(separator: "\n").map(String.init),
            "the dump of a new replica that joined the baseline differs"
        )
        try World.demandEqual(baseline, try replica.baseline(), "the baseline of a new replica that joined it differs")
        try demandNoEffect(baseline, on: replica)
    }

    private func produce(_ index: Int, _ skew: Int, _ changes: [Change]) {
        let last = written[index].last?.header.clock ?? .zero
        let header = TransactionHeader(
            sequence: UInt64(written[index].count) + 1,
            clock: last.next(at: clock.time(skew: skew)),
            changeCount: changes.count
        )
        written[index].append(LogTransaction(header: header, changes: changes))
    }

    /// Delivers transactions until every replica has all of them.
    private func settle() throws {
        var rounds = 0
        while true {
            var isComplete = true
            for replica in replicas {
                for (index, writer) in writers.enumerated() where writer != replica.writer {
                    let known = Int(try replica.position(of: writer))
                    guard known < written[index].count else { continue }
                    isComplete = false
                    let text = SegmentText(writer: writer, Array(written[index].dropFirst(known)))
                    try replica.take(text, piece: 3, slice: 5)
                }
            }
            if isComplete { return }
            rounds += 1
            guard rounds <= 100 else { throw Divergence(description: "transactions wait for each other for ever") }
        }
    }

    private func compare() throws {
        let first = replicas[0]
        let (digest, dump, baseline) = (try first.digest(), try first.dump(), try first.baseline())
        try check(first, "replica 0 in the end")
        for (index, replica) in replicas.enumerated().dropFirst() {
            try check(replica, "replica \(index) in the end")
            try World.demandEqual(
                dump.split(separator: "\n").map(String.init),
                try replica.dump().split(separator: "\n").map(String.init),
                "the dumps of replicas 0 and \(index) differ"
            )
            guard try replica.digest() == digest else {
                throw Divergence(description: "the digests of replicas 0 and \(index) differ, their dumps do not")
            }
            try World.demandEqual(baseline, try replica.baseline(), "the baselines of replicas 0 and \(index) differ")
        }
        try compareJoined(baseline, dump: dump)
    }

    /// Compares the visible state of a replica with the oracle, which plays the transactions that the replica has
    /// applied.
    private func check(_ replica: Replica, _ name: String) throws {
        var applied: [(UniqueID, LogTransaction)] = []
        for (index, writer) in writers.enumerated() {
            let known = Int(try replica.position(of: writer))
            applied += written[index].prefix(known).map { (writer, $0) }
        }
        let oracle = Oracle(replica.model, applied)
        try World.demandEqual(oracle.shown(), try replica.shown(), "\(name) does not show what the rules say")
    }

    private static func demandEqual(_ wanted: [String], _ found: [String], _ what: String) throws {
        guard wanted != found else { return }
        let missing = wanted.filter { !found.contains($0) }.map { "- \($0)" }
        let extra = found.filter { !wanted.contains($0) }.map { "+ \($0)" }
        throw Divergence(description: ([what] + missing + extra).joined(separator: "\n"))
    }
}
