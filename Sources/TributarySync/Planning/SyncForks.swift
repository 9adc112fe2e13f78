import TributaryChanges
import TributaryStore

/// The forked writers of a store.
struct SyncForks: Sendable {
    /// The last sequence that some branch of each has reached.
    private(set) var reaches: [UniqueID: UInt64] = [:]
    /// The forks of which an administrator is told, in order.
    ///
    /// An earlier writer of this store has an alarm of its own, and who has evicted a writer knows about it.
    private(set) var alarms: [WriterFork] = []

    /// Reads the forks; O(w), and O(log n) for each forked writer.
    init(_ reader: Reader) throws {
        for writer in try reader.writers.all() where !writer.branches.isEmpty {
            reaches[writer.id] = writer.reach
            guard writer.state == nil, let first = writer.branches.min(by: { $0.start < $1.start }) else { continue }
            let since = try reader.setting(StoreKeys.forked(writer.id)).flatMap { UInt64($0) } ?? 0
            let sequence = first.start.addingSaturating(1)
            alarms.append(
                WriterFork(
                    writer: writer.id,
                    name: writer.name,
                    sequence: sequence,
                    firstHash: try reader.writers.segment(writer: writer.id, holding: sequence)?.sha256,
                    branchHash: first.firstHash,
                    branches: writer.branches.count,
                    since: WallTime(milliseconds: since)
                )
            )
        }
    }
}
