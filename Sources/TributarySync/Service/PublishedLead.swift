import TransactionLog
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

extension SyncService {
    /// The notice of transactions that this store has published with clocks that are ahead, and that another store has
    /// not acknowledged: it may hold them; nil for none.
    ///
    /// `writers` are all writers of the store. O(w log w), and O(w) when none is ahead.
    package func publishedLead(_ writers: [WriterRecord], at wall: WallTime) -> Problem? {
        let maxAhead = state.configuration.maxAhead
        guard let own = writers.first(where: \.isSelf) else { return nil }
        let ahead = writers.filter {
            $0.store == own.store && $0.sequence > 0 && $0.clock.isAhead(of: wall, by: maxAhead)
        }
        guard let last = ahead.max(by: { $0.clock < $1.clock }) else { return nil }
        let waiting = CompactionFacts.active(beside: own.store, among: writers).filter { peer in
            ahead.contains { peer.seen[$0.id] < $0.sequence }
        }
        guard let first = waiting.first else { return nil }
        let name = first.writer.name.map { "\($0) (\(first.writer.id))" } ?? "\(first.writer.id)"
        let others = waiting.count > 1 ? " and \(waiting.count - 1) more" : ""
        let seconds = last.clock.wallTime.duration(since: wall).components.seconds
        var notice = Problem(
            .publishedClockAhead,
            detail: "Transactions of this store up to \(last.sequence) of writer \(last.id) have clocks up to "
                + "\(seconds) s ahead of this machine's. Not acknowledged by: \(name)\(others).",
            writer: last.id,
            hint: "Other machines hold them until their time has come. The status there says how to take them now: "
                + "tributaryctl status"
        )
        notice.writerName = last.name
        return notice
    }
}
