import TributaryChanges
import TributaryStore

/// The positions of a baseline or a store, for each writer: the last transaction, the hash with which it ends, and all
/// branches of a forked one.
struct BaselinePositions: Hashable, Sendable {
    var vector = VersionVector()
    /// The hashes with which the writers' logs end, as far as they are known; of a forked one the hash of all of them.
    var hashes: [UniqueID: String] = [:]
    var forks: [UniqueID: BaselineFork] = [:]

    /// Whether this has all transactions of the other one; O(w), and O(n) for the segments of forked writers.
    func covers(_ other: BaselinePositions) -> Bool {
        other.vector.entries.allSatisfy { covers(other, of: $0.key) }
    }

    private func covers(_ other: BaselinePositions, of writer: UniqueID) -> Bool {
        let (sequence, position) = (other.vector[writer], vector[writer])
        guard position >= sequence else { return false }
        let hash = other.hashes[writer]
        switch (forks[writer], other.forks[writer]) {
        case (nil, nil):
            guard position == sequence, let hash, let own = hashes[writer] else { return true }
            return hash == own
        case (nil, _?): return false
        case (let fork?, nil): return sequence <= fork.start || hash.map(fork.contains) ?? false
        case (let fork?, let known?): return fork.covers(known)
        }
    }

    /// Whether a store that is built to reach the positions of a baseline may begin with another baseline.
    ///
    /// Of a forked writer the other baseline must name the branches, or end before them, or on the only line that leads to
    /// the positions: else nothing tells which segments it stands for.
    func mayBegin(with base: BaselinePositions, on target: BaselinePositions) -> Bool {
        forks.keys.allSatisfy { writer in
            guard base.forks[writer] == nil, let line = line(to: target, of: writer) else { return true }
            let isOnLine = target.forks[writer] == nil && base.hashes[writer].map(line.contains) ?? false
            return base.vector[writer] <= line.start || isOnLine
        }
    }

    /// The segments of a writer past its fork that lead to the positions of a baseline, in order, according to this store.
    ///
    /// - Parameters:
    ///   - baseline: The positions, all of which this store has.
    ///   - writer: The writer.
    /// - Returns: The segments; nil for a writer without branches.
    func line(to baseline: BaselinePositions, of writer: UniqueID) -> BaselineFork? {
        if let fork = baseline.forks[writer] { return fork }
        guard let fork = forks[writer], baseline.vector[writer] > fork.start else { return nil }
        let line = baseline.hashes[writer].flatMap(fork.line) ?? []
        return BaselineFork(start: fork.start, segments: line)
    }
}
