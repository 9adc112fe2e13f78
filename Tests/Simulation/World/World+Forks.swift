import TransactionLog
import TributaryChanges
import TributaryStore

/// Machines that are set back with what they have published, and the branches that their stores write then.
extension World {
    /// Carries a segment of a writer or of its branches.
    ///
    /// No step brings a store its own segments that it lacks: an export of it may fail then, until its import has found
    /// the fork. They come in the end.
    ///
    /// - Returns: false when it is carried as other segments are.
    func carryForked(_ writer: Int, to: Int, skip: Int, _ fault: FileFault, isHeard: Bool) throws -> Bool {
        let sources = writer < schedule.replicas ? lives[writer].map { logs[$0] } : [logs[writer]]
        let branches = sources.flatMap { log in log.branches.map { (log: log, segment: $0.segment) } }
        guard !branches.isEmpty else { return false }
        let firstLines = sources.flatMap { log in log.segments.map { (log: log, segment: $0) } }
        let candidates = fault == .none && !branches.isEmpty ? branches : firstLines + branches
        let positions = try replicas[to].positions()
        let next = candidates.firstIndex { $0.segment.name.last > positions[$0.log.writer] ?? 0 } ?? 0
        let carried = candidates[min(max(next + skip, 0), candidates.count - 1)]
        try replicas[to].folder.leave(carried.segment, beside: carried.log.allSegments, replaces: replaces)
        if isHeard { try replicas[to].hear(of: carried.segment.name) }
        return true
    }

    /// Whether a replicator gives the name to the segment that came last.
    private var replaces: Bool { schedule.seed / 16 % 2 == 0 }

    /// Leaves all segments that a replica has not applied.
    ///
    /// - Returns: Whether there are any.
    func leaveBranches(in replica: Replica) throws -> Bool {
        var isBehind = false
        for log in logs {
            for segment in try lacked(of: log, by: replica) {
                isBehind = true
                try replica.folder.leave(segment, beside: log.allSegments, replaces: replaces)
            }
        }
        return isBehind
    }

    private func lacked(of log: WriterLog, by replica: Replica) throws -> [PublishedSegment] {
        let records = try replica.store.read { reader in
            try reader.writers.segments(writer: log.writer) + reader.writers.branchSegments(writer: log.writer)
        }
        let applied = Set(records.map(\.sha256))
        // A baseline stands for the segments before it, or before the fork of the writer.
        let joined = try replica.joined(of: log.writer)
        return log.allSegments.filter { !applied.contains($0.sha256) && $0.name.last > joined }
    }

    // MARK: Baselines

    /// Lets a replica join the baseline of another one, where machines are set back.
    ///
    /// The baseline must name all branches that its writers have by now: nothing tells the segments of a branch that comes
    /// later, and lies below a baseline without it, from those that the baseline stands for.
    func joinForked(from: Int, to: Int, damage: Int?) throws {
        guard try replicas[from].store.read({ try $0.outbox.unfinishedExports().isEmpty }),
            try replicas[from].hasWholeSegments(), let baseline = try replicas[from].forkedBaseline(),
            try knowsBranches(replicas[from])
        else { return }
        replicas[to].endSync()
        if let damage { return try replicas[to].refuse(baseline, damagedAt: damage) }
        do {
            if try replicas[to].join(baseline) != nil { try recordJoined(replicas[from]) }
        } catch BaselineJoinError.ownWriterAhead {
            // A store that is older than its own segments becomes another writer first.
            return
        } catch BaselineJoinError.otherBranches {
            return
        }
        try demandNoEffect(baseline, on: replicas[to])
    }

    /// Whether a replica has all branches of the writers whose transactions past the fork it has.
    private func knowsBranches(_ replica: Replica) throws -> Bool {
        for log in logs where !log.branches.isEmpty {
            let fork = log.branches.map(\.segment.name.first).min() ?? 0
            guard try replica.reach(of: log.writer) >= fork else { continue }
            guard try lacked(of: log, by: replica).isEmpty else { return false }
        }
        return true
    }

    /// Notes how far the writers' transactions have come with baselines: no store is set back below that.
    private func recordJoined(_ replica: Replica) throws {
        for log in logs {
            joinedThrough[log.writer] = max(joinedThrough[log.writer] ?? 0, try replica.reach(of: log.writer))
        }
    }

    /// Compares the baselines of the replicas that can name all branches; a new one joins them, and so does one with a part
    /// of the segments.
    func compareForked(dump: String) throws {
        let baselines = try replicas.enumerated().compactMap { index, replica in
            try replica.forkedBaseline().map { (index: index, lines: $0) }
        }
        guard let first = baselines.first else { return }
        for other in baselines.dropFirst() {
            try Divergence.demandEqual(
                first.lines,
                other.lines,
                "the baselines of the replicas \(first.index) and \(other.index) differ"
            )
        }
        let replica = try newReplica(joining: first.lines)
        try Divergence.demandEqual(
            dump,
            try replica.dump(),
            "the dump of a new replica that joined the baseline differs"
        )
        guard let joined = try replica.forkedBaseline() else {
            throw Divergence("a new replica that joined the baseline cannot name the branches")
        }
        try Divergence.demandEqual(first.lines, joined, "the baseline of a new replica that joined it differs")
        try demandNoEffect(first.lines, on: replica)
        try replica.finish()
    }

    /// The segments that a replica has not applied, in words.
    func lackedBranches(_ replica: Replica, _ name: String) throws -> [String] {
        try logs.flatMap { log in
            try lacked(of: log, by: replica).map {
                "\(name), the writer \(replica.writer), lacks \($0.name) \($0.sha256)"
            }
        }
    }

    /// Compares a replica that has all branches with the oracle, which plays all segments.
    ///
    /// Which branches a replica has is not known before it has all of them. Nothing is compared here when transactions of
    /// two branches have equal clocks: the oracle plays them one after the other, while a store takes the greater value.
    func checkForked(_ replica: Replica, _ name: String) throws {
        guard isSettled else { return }
        let applied = logs.flatMap { log in log.allTransactions.map { (log.writer, $0) } }
        var found: [Version: LogTransaction] = [:]
        for (writer, transaction) in applied {
            let version = Version(clock: transaction.header.clock, writer: writer)
            if let other = found.updateValue(transaction, forKey: version), !other.isSame(as: transaction) { return }
        }
        let oracle = Oracle(replica.model, applied.map { (writer: $0.0, transaction: $0.1) })
        try Divergence.demandEqual(oracle.shown(), try replica.shown(), "\(name) does not show what the rules say")
    }
}
