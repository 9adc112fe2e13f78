import SimulationRunning
import TributaryChanges
import TributaryModel
import TributaryStore

extension World {
    /// Compares the states of all replicas, which have the same transactions and the same model.
    ///
    /// Of what the model does not know, a replica that has joined a baseline of a newer one may have less.
    func compare() async throws {
        if try await makeNextBaseline() { try await settle() }
        let equal = try active.filter { try !$0.store.read { try $0.hasForeignRules } }
        guard let first = equal.first else { return }
        let (digest, dump, baseline) = (try first.digest(), try first.dump(), try first.baseline())
        for (index, replica) in activeIndices.map({ ($0, replicas[$0]) }) {
            try check(replica, "replica \(index) in the end")
            try demandEachOnce(replica, "replica \(index)")
            guard equal.contains(where: { $0 === replica }) else { continue }
            try Divergence.demandEqual(dump, try replica.dump(), "the dumps of replica \(index) and another one differ")
            guard try replica.digest() == digest else {
                throw Divergence("the digests of replica \(index) and another one differ, their dumps do not")
            }
            try Divergence.demandEqual(
                baseline.compactMap(World.withoutZeros),
                try replica.baseline().compactMap(World.withoutZeros),
                "the baselines of replica \(index) and another one differ"
            )
        }
        if schedule.seed % 4 < 2 { try compareJoined(baseline, dump: dump) }
        try await compareNewReplica(dump)
    }

    /// A line of a baseline without totals of zero, in which stores may differ; nil when nothing remains.
    private static func withoutZeros(_ line: String) -> String? {
        guard case .object(var members)? = JSONValue(text: line),
            let place = members.firstIndex(where: { $0.key == "totals" }),
            case .object(let totals) = members[place].value
        else { return line }
        let others = totals.filter { ![.integer(0), .double(0)].contains($0.value) }
        members[place].value = .object(others)
        return others.isEmpty ? nil : JSONValue.object(members).text
    }

    /// A new replica that begins with the baseline has the state of the others.
    private func compareJoined(_ baseline: [String], dump: String) throws {
        let replica = try newReplica()
        _ = try replica.join(baseline)
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
        try replica.finish()
    }

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
        let applied = logs.flatMap { log in
            log.transactions.prefix(Int(positions[log.writer] ?? 0)).map { (writer: log.writer, transaction: $0) }
        }
        let oracle = Oracle(replica.model, applied)
        // A baseline has the names of its own model: an older one defers what has been renamed.
        let isOlder = try replica.store.read { try $0.hasForeignRules }
        func comparable(_ lines: [String]) -> [String] {
            isOlder ? lines.map { $0.replacing(/\ nick=(null|string\("[^"]*"\))/, with: "") } : lines
        }
        // In a baseline a deletion supersedes the object's values, also where an older model lacks the deletion's entity.
        let isDeletedByNewer =
            isOlder
            && applied.contains { _, transaction in
                transaction.changes.contains {
                    $0.operation == .delete && replica.model.entity(named: $0.entity) == nil
                }
            }
        if !isDeletedByNewer {
            try Divergence.demandEqual(
                comparable(oracle.shown()),
                comparable(try replica.shown()),
                "\(name) does not show what the rules say"
            )
        }
        let seen = SeenOracle(logs)
        try Divergence.demandEqual(
            [],
            seen.missing(at: positions, except: abandoned),
            "\(name) lacks what is acknowledged"
        )
        let (journal, hidden) = try replica.store.read { reader in
            let journal = try reader.conflicts.page(limit: .max).found
            // The list has no values of objects.
            let hidden = try journal.filter { $0.rule == .uniqueness }.compactMap {
                try reader.conflicts.conflict($0.number)
            }
            return (journal, hidden)
        }
        let isWhole = !replica.hasJoined && logs.allSatisfy(\.baselines.isEmpty) && replica.model.version == "1"
        try Divergence.demandEqual(
            isWhole ? oracle.representatives.keys.map { "\($0.root) \($0.id)" }.sorted() : [],
            isWhole ? World.shadows(oracle, in: hidden) : [],
            "the journal of \(name) lacks the values of objects that are not shown"
        )
        // Nobody waits for an abandoned writer, so that a write can come after one that was made in its knowledge. A write that
        // was issued again is older than its name: it has not seen all that its writer goes on from.
        let exempt = abandoned.union(reissuing)
        let wrong =
            journal
            .filter { $0.rule != .uniqueness && !World.isConcurrent($0, seen) }
            .filter { exempt.isDisjoint(with: [$0.losing.version.writer, $0.winning.version.writer]) }
            .map { "\($0)" }
        try Divergence.demandEqual([], wrong, "the journal of \(name) has losses that are no conflicts")
    }

    /// The shadows whose values are in a journal, with the key that they had when they became shadows.
    private static func shadows(_ oracle: Oracle, in journal: [Conflict]) -> [String] {
        oracle.representatives.keys.filter { key in
            journal.contains { conflict in
                guard conflict.rule == .uniqueness, conflict.kind == .object, conflict.id == key.id,
                    case .object(let lost)? = conflict.losing.value, case .object(let values)? = conflict.object
                else { return false }
                // A property that was never written has its default, which is not among the values.
                return !lost.isEmpty
                    && lost.allSatisfy { member in
                        values.first { $0.key == member.key }.map { $0.value == member.value } ?? true
                    }
            }
        }
        .map { "\($0.root) \($0.id)" }.sorted()
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
