import TransactionLog
import TributaryChanges
import TributaryStore

/// Stores and log folders that go to other places, and log folders that are lost for a while.
extension World {
    /// Moves a replica's store or its log folder; another machine makes it another writer.
    ///
    /// So may another file while the store has exported nothing: that it was moved and not copied does not show then.
    func move(_ index: Int, _ kind: Relocation) async throws {
        try await recover(index)
        // A store that does not know where it was has not been moved.
        try await checkIdentity(index)
        let replica = replicas[index]
        let writer = replica.writer
        let hasExported = try !replica.store.read { try $0.writers.segments(writer: writer) }.isEmpty
        try replica.move(kind, in: folder)
        try check(replica, "replica \(index) after it was moved")
        try await checkIdentity(index)
        let mayChange = kind == .machine || kind == .file && !hasExported
        guard !mayChange, replica.writer != writer else { return }
        throw Divergence("replica \(index) becomes another writer, though only its \(kind) is another one")
    }

    /// Takes a replica's log folder away, or a part of it.
    ///
    /// Before its store has recorded an exported segment, nothing tells a lost folder from a new one.
    func lose(_ index: Int, _ loss: FolderLoss) throws {
        let replica = replicas[index]
        guard replica.folder.loss == nil, let log = log(of: replica.writer),
            try !replica.store.read({ try $0.writers.segments(writer: replica.writer) }).isEmpty,
            !replica.folder.lacks(published: logs[log].present)
        else { return }
        if loss != .unmounted {
            for segment in logs[log].present
            where !replicas.enumerated().contains(where: { $0 != index && $1.folder.has(segment.name) }) {
                logs[log].lost.insert(segment.name)
            }
        }
        try replica.folder.lose(loss, own: replica.writer)
    }

    /// Brings a lost log folder back: the share is mounted again, or `check --repair` makes the store's own folder again
    /// with the segments that nobody else has, and a replicator brings the others.
    ///
    /// Until then nothing may be written into the folder, which may be a mount point.
    func recover(_ index: Int) async throws {
        let replica = replicas[index]
        guard let loss = replica.folder.loss else { return }
        guard !replica.folder.hasFolder(of: replica.writer) else {
            throw Divergence("replica \(index) has written into a log folder that has nothing of it")
        }
        try replica.folder.recover()
        guard loss != .unmounted else { return }
        try await replica.repair()
        // An export that was begun before is completed.
        _ = try await replica.export()
        try collect(from: index)
        try collectSegments(from: index)
        guard let log = log(of: replica.writer), !logs[log].lost.isEmpty else { return }
        throw Divergence("replica \(index) has not published \(logs[log].lost.sorted()) again")
    }
}
