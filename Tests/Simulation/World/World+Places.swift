import SimulationRunning
import TransactionLog
import TributaryChanges
import TributaryStore

/// Stores and log folders that are copied, set back, moved and lost.
extension World {
    /// Puts an older copy of its store in the place of a replica's store, and with `machine` its log folder of then.
    func restore(_ index: Int, _ kind: Restoration, losesToken: Bool) async throws {
        let replica = replicas[index]
        guard let snapshot = replica.snapshot else { return }
        try await recover(index)
        if kind == .machine {
            for name in replica.folder.names() where !snapshot.files.contains(name) { replica.folder.lose(name) }
            for segment in logs.flatMap(\.segments) where snapshot.files.contains(segment.name) {
                if !replica.folder.has(segment.name) { try leave(segment, in: replica) }
            }
        }
        try replica.restore(snapshot, asBackup: kind == .backup)
        if losesToken { replica.loseToken() }
        try check(replica, "replica \(index) after an older copy was put in the place of its store")
        try collect(from: index)
    }

    /// Replaces a replica by a copy of another one, which goes on; what only the replaced store had is lost.
    func clone(from: Int, to: Int, _ kind: CopyKind, hasFolder: Bool) async throws {
        guard from != to, retired.isDisjoint(with: [from, to]) else { return }
        for index in [from, to] { try await recover(index) }
        if hasFolder { try replicas[to].folder.becomeCopy(of: replicas[from].folder, at: replicas[to].clock.time) }
        try replicas[to].becomeCopy(of: replicas[from], kind)
        try check(replicas[to], "replica \(to) after it became a copy of replica \(from)")
        try collect(from: to)
    }

    /// Moves a replica's store or its log folder.
    func move(_ index: Int, _ kind: Relocation) async throws {
        try await recover(index)
        try replicas[index].move(kind, in: folder)
        try check(replicas[index], "replica \(index) after it was moved")
        try collect(from: index)
    }

    /// Takes a replica's log folder away, or a part of it.
    ///
    /// Before its store has recorded an exported segment, nothing tells a lost folder from a new one. A baseline that nobody
    /// else has is not lost: what it has can be in no segment any more.
    func lose(_ index: Int, _ loss: FolderLoss) throws {
        let replica = replicas[index]
        let (exported, writers) = try replica.store.read { (try $0.outbox.exporters(), try $0.outbox.committers()) }
        let own = try replica.folder.ownSegments()
        // What the store has written and does not know any more stays with whoever has got it.
        guard replica.folder.loss == nil, !exported.isEmpty,
            exported.contains(where: { replica.folder.hasFolder(of: $0) })
        else { return }
        if loss != .unmounted {
            guard try !hasOnlyBaseline(index) else { return }
            for segment in own {
                guard let log = log(of: segment.name.writer), writers.contains(segment.name.writer) || loss == .all,
                    !replicas.enumerated().contains(where: { $0 != index && $1.folder.has(segment.name) })
                else { continue }
                logs[log].lost.insert(segment)
                if try replica.canPublish(segment.name) { replica.lost.insert(segment) }
            }
        }
        try replica.folder.lose(loss, own: writers)
    }

    /// Whether a replica's folder has a baseline, or what makes it count, that no other one has.
    private func hasOnlyBaseline(_ index: Int) throws -> Bool {
        func names(_ replica: Replica) throws -> Set<String> {
            let files = replica.folder
            return Set(try files.baselines().keys.map(\.path) + files.comparisons(fleetKeys.readable).keys.map(\.path))
        }
        let others = try replicas.indices.filter { $0 != index }.map { try names(replicas[$0]) }
        return try !names(replicas[index]).isSubset(of: others.reduce([]) { $0.union($1) })
    }

    /// Brings a lost log folder back: the share is mounted again, or `check --repair` makes the store's own folder
    /// again with the segments that nobody else has, and a replicator brings the others.
    ///
    /// Until then nothing may be written into the folder, which may be a mount point.
    func recover(_ index: Int) async throws {
        let replica = replicas[index]
        guard let loss = replica.folder.loss else { return }
        guard !replica.writers.contains(where: { replica.folder.hasFolder(of: $0) }) else {
            throw Divergence("replica \(index) has written into a log folder that has nothing of it")
        }
        try replica.folder.recover()
        guard loss != .unmounted else { return }
        // What all other stores have acknowledged meanwhile is not kept.
        let kept = try replica.lost.filter { try replica.canPublish($0.name) }
        try await replica.repair()
        // An export that was begun before is completed.
        _ = try await replica.export()
        try collect(from: index)
        try collectSegments(from: index)
        // What a verified baseline has needs no segment.
        let lost = kept.filter { !replica.folder.has($0.name) && !isCovered($0.name) }
        replica.lost = []
        guard lost.isEmpty else {
            throw Divergence("replica \(index) has not published \(lost.map(\.name).sorted()) again")
        }
    }
}
