import TributaryChanges
import TributaryStore

extension World {
    /// Compares the states of all replicas, which have the same transactions and the same model.
    func compare() throws {
        let first = replicas[0]
        let (digest, dump, baseline) = (try first.digest(), try first.dump(), try first.baseline())
        for (index, replica) in replicas.enumerated() {
            try check(replica, "replica \(index) in the end")
            try demandEachOnce(replica, "replica \(index)")
            try Divergence.demandEqual(dump, try replica.dump(), "the dumps of replicas 0 and \(index) differ")
            guard try replica.digest() == digest else {
                throw Divergence("the digests of replicas 0 and \(index) differ, their dumps do not")
            }
            guard schedule.seed % 2 == 0 || index == 1 else { continue }
            try Divergence.demandEqual(
                baseline,
                try replica.baseline(),
                "the baselines of replicas 0 and \(index) differ"
            )
        }
        if schedule.seed % 4 < 2 { try compareJoined(baseline, dump: dump) }
    }

    /// A new replica that begins with the baseline has the state of the others.
    private func compareJoined(_ baseline: [String], dump: String) throws {
        let replica = try newReplica(joining: baseline)
        defer { try? replica.close() }
        try check(replica, "a new replica that joined the baseline")
        try Divergence.demandEqual(
            dump,
            try replica.dump(),
            "the dump of a new replica that joined the baseline differs"
        )
        try Divergence.demandEqual(
            baseline,
            try replica.baseline(),
            "the baseline of a new replica that joined it differs"
        )
        try demandNoEffect(baseline, on: replica)
    }

    /// Joins a baseline of which the replica has everything.
    func demandNoEffect(_ baseline: [String], on replica: Replica) throws {
        let (dump, newest) = (try replica.dump(), try replica.newestTransaction())
        let joined = try replica.join(baseline)
        guard joined == nil, try replica.newestTransaction() == newest, try replica.dump() == dump else {
            throw Divergence("joining a baseline twice has an effect")
        }
    }

    /// Compares the visible state of a replica with the oracle, which plays the transactions that the replica has
    /// applied.
    func check(_ replica: Replica, _ name: String) throws {
        let positions = try replica.positions()
        var applied: [(UniqueID, LogTransaction)] = []
        for (index, writer) in writers.enumerated() {
            applied += written[index].prefix(Int(positions[writer] ?? 0)).map { (writer, $0) }
        }
        let oracle = Oracle(replica.model, applied)
        try Divergence.demandEqual(oracle.shown(), try replica.shown(), "\(name) does not show what the rules say")
        let seen = SeenOracle(zip(writers, written).map { ($0, $1) })
        try Divergence.demandEqual([], seen.missing(at: positions), "\(name) lacks what is acknowledged")
        let wrong = try replica.store.read { try $0.conflicts.conflicts(after: 0, limit: .max) }
            .filter { $0.rule != .uniqueness && !World.isConcurrent($0, seen) }.map { "\($0)" }
        try Divergence.demandEqual([], wrong, "the journal of \(name) has losses that are no conflicts")
    }

    /// Whether neither writer of a conflict had seen the other write; a joined baseline has no sequence.
    private static func isConcurrent(_ conflict: Conflict, _ seen: SeenOracle) -> Bool {
        let losing = (writer: conflict.losing.version.writer, sequence: conflict.losing.sequence)
        let winning = (writer: conflict.winning.version.writer, sequence: conflict.winning.sequence)
        guard losing.sequence > 0, winning.sequence > 0 else { return true }
        return !seen.hasSeen(losing, by: winning) && !seen.hasSeen(winning, by: losing)
    }

    /// Checks that no transaction of a writer is twice in the history of a replica.
    private func demandEachOnce(_ replica: Replica, _ name: String) throws {
        var found: Set<String> = []
        for transaction in try replica.store.read({ try $0.history.transactions(after: 0, limit: .max) })
        where transaction.sequence > 0 {
            let key = "\(transaction.writer) \(transaction.sequence)"
            guard found.insert(key).inserted else { throw Divergence("\(name) has applied transaction \(key) twice") }
        }
    }
}
