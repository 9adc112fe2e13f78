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
        return log.allSegments.filter { !applied.contains($0.sha256) }
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
