import TransactionLog
import TributaryChanges

/// Replicas that become other writers: restored ones, and copies of others.
extension World {
    /// Lets a replica compare its store with its home, as its sync does before each pass.
    func checkIdentity(_ index: Int) async throws {
        try await replicas[index].checkIdentity()
        try collect(from: index)
    }

    /// Notes that a replica has become another writer.
    ///
    /// All that it had committed and that nobody has in a segment must be the first transactions of the new writer, with
    /// their clocks, and nothing else. A transaction that only a baseline has may be issued again: its segment is removed, so
    /// that it is told from that of another branch only where the baseline shows its writes as the transaction has them.
    func become(_ writer: UniqueID, _ index: Int) throws {
        let replica = replicas[index]
        guard log(of: writer) == nil else {
            throw Divergence("replica \(index) becomes the writer \(writer), which there was before")
        }
        let (former, issued) = (replica.own, try replica.transactions(after: 0, of: writer))
        let kept = log(of: replica.writer).map { logs[$0].publishedCount(of: former) } ?? 0
        // The clocks of a writer grow, so that at most one length fits.
        let count = (0...min(former.count, issued.count)).reversed().first { count in
            zip(former.suffix(count), issued).allSatisfy { $0.isSame(as: $1) }
        }
        let again = former.count - (count ?? 0)
        guard again <= kept else {
            throw Divergence(
                "replica \(index) loses the transactions \(kept + 1) to \(again) of \(replica.writer), "
                    + "which are in no segment, when it becomes \(writer)"
            )
        }
        guard
            again == kept || isForked
                || replica.folder.lacks(published: log(of: replica.writer).map { logs[$0].segments } ?? [])
        else {
            throw Divergence(
                "replica \(index) issues the transactions \(again + 1) to \(kept) of \(replica.writer) again, "
                    + "which are published, when it becomes \(writer)"
            )
        }
        replica.become(writer, issued)
        lives[index].append(logs.count)
        logs.append(WriterLog(writer: writer))
    }

    /// Puts an older copy of its store in the place of a replica's store.
    ///
    /// Only where branches are played, a machine that is set back lacks its later segments until a replicator brings them.
    /// Otherwise its store finds out at once that it is older than they are.
    func restore(_ index: Int, _ kind: Restoration) async throws {
        let replica = replicas[index]
        guard let snapshot = replica.snapshot else { return }
        // A branch below a baseline that stands for the other one would be missed.
        if schedule.forks, UInt64(snapshot.own.count) < joinedThrough[snapshot.writer] ?? 0 { return }
        try await recover(index)
        let log = log(of: snapshot.writer).map { logs[$0] }
        let segments = log?.present ?? []
        if kind == .machine, schedule.forks {
            isForked = true
            for segment in log?.allSegments ?? [] where !snapshot.files.contains(segment.name) {
                replica.folder.setBack(segment.name)
            }
            // Otherwise transactions of two branches may have equal clocks.
            if schedule.seed % 16 == 2 { clock.tick(20) }
        } else {
            for segment in segments where !replica.folder.has(segment.name) {
                try replica.folder.leave(segment, .none)
            }
        }
        try replica.restore(snapshot, asBackup: kind == .backup)
        try check(replica, "replica \(index) after an older copy was put in the place of its store")
    }

    /// Replaces a replica by a copy of another one, which goes on; what only the replaced store had is lost.
    func clone(from: Int, to: Int, isSameMachine: Bool, hasFolder: Bool) async throws {
        guard from != to else { return }
        for index in [from, to] { try await recover(index) }
        // A store records its home when its sync begins; before, nothing tells a copy from it.
        try await checkIdentity(from)
        if hasFolder { try replicas[to].folder.becomeCopy(of: replicas[from].folder) }
        try replicas[to].becomeCopy(of: replicas[from], isSameMachine: isSameMachine)
        evictions[to, default: [:]].merge(evictions[from] ?? [:]) { max($0, $1) }
        try check(replicas[to], "replica \(to) after it became a copy of replica \(from)")
    }

    /// The writer that has the number of a replica or a producer in the schedule.
    func writer(_ number: Int) -> UniqueID {
        number < schedule.replicas ? replicas[number].writer : logs[number].writer
    }

    func segments(_ number: Int) -> [PublishedSegment] {
        number < schedule.replicas ? lives[number].flatMap { logs[$0].segments } : logs[number].segments
    }
}

extension LogTransaction {
    /// Whether the two are one transaction, perhaps under two writers.
    func isSame(as other: LogTransaction) -> Bool {
        header.clock == other.header.clock && changes == other.changes
    }
}
