import TributaryChanges

/// The transactions that each transaction had seen, from the announcements in the log alone.
struct SeenOracle {
    private var seen: [UniqueID: [[UniqueID: UInt64]]] = [:]
    private var after: [UniqueID: Incarnation.Predecessor] = [:]

    init(_ logs: [WriterLog]) {
        let writers = Dictionary(logs.map { ($0.writer, $0.incarnation) }) { first, _ in first }
        var rest = logs
        while !rest.isEmpty {
            // A writer has seen what the one had seen that it goes on from.
            let place = rest.firstIndex { log in
                log.incarnation.after.map { after in !rest.contains { $0.writer == after.writer } } ?? true
            }
            let log = rest.remove(at: place ?? 0)
            var known: [UniqueID: UInt64] = [:]
            if let former = log.incarnation.after {
                after[log.writer] = former
                known = seen(by: former.writer, at: former.sequence)
                known[former.writer] = former.sequence
            }
            seen[log.writer] = log.transactions.map { transaction in
                known.merge(transaction.header.seen) { max($0, $1) }
                for writer in transaction.header.seen.keys {
                    // Who has anything of a writer has all that it goes on from.
                    var former = writers[writer]?.after
                    while let found = former, known[found.writer] ?? 0 < found.sequence {
                        known[found.writer] = found.sequence
                        former = writers[found.writer]?.after
                    }
                }
                return known
            }
        }
    }

    /// Whether the writer of a transaction had seen another transaction when it wrote it.
    func hasSeen(_ other: (writer: UniqueID, sequence: UInt64), by own: (writer: UniqueID, sequence: UInt64)) -> Bool {
        if own.writer == other.writer { return other.sequence <= own.sequence }
        guard let list = seen[own.writer], own.sequence >= 1, own.sequence <= UInt64(list.count) else { return false }
        return list[Int(own.sequence) - 1][other.writer] ?? 0 >= other.sequence
    }

    /// The transactions of others that a writer had seen with its transaction `sequence`.
    func seen(by writer: UniqueID, at sequence: UInt64) -> [UniqueID: UInt64] {
        guard let list = seen[writer], sequence >= 1, sequence <= UInt64(list.count) else { return [:] }
        return list[Int(sequence) - 1]
    }

    /// The entries of `seen` that are not applied, in words, by the last applied sequence of each writer; nobody waits
    /// for abandoned writers.
    func missing(at positions: [UniqueID: UInt64], except abandoned: Set<UniqueID> = []) -> [String] {
        var missing: [String] = []
        for (writer, sequence) in positions where sequence >= 1 {
            // What a writer goes on from is never abandoned.
            if let former = after[writer], positions[former.writer] ?? 0 < former.sequence {
                missing.append("\(writer) goes on from \(former.sequence) of \(former.writer)")
            }
            guard let list = seen[writer], sequence <= UInt64(list.count) else { continue }
            for (other, needed) in list[Int(sequence) - 1]
            where positions[other] ?? 0 < needed && !abandoned.contains(other) {
                missing.append("transaction \(sequence) of \(writer) had seen \(other) up to \(needed)")
            }
        }
        return missing
    }
}
